import { Modal, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { applicationsQuery } from '../../api/applications.ts';
import { Icon } from '../../components/icons.tsx';
import { words } from '../../words/en.ts';
import { type Destination, findDestinations } from './destinations.ts';

const mostShown = 40;

/** A dialog that leads to any page: type a part of its name, choose with the arrows, open with Enter. */
export function Palette({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      withCloseButton={false}
      padding={0}
      yOffset="10vh"
      attributes={{ content: { 'aria-label': words.palette.title } }}
      size={560}
    >
      <Search close={close} />
    </Modal>
  );
}

function Search({ close }: { close: () => void }) {
  const { data = [] } = useQuery(applicationsQuery);
  const { domain } = useParams();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = findDestinations(data, domain, search).slice(0, mostShown);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked option follows from the index
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function open({ to, isExternal }: Destination) {
    close();
    if (isExternal) window.location.assign(to);
    else navigate(to);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = found[active];
    if (step) setActive((active + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter' && chosen) open(chosen);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <TextInput
        variant="unstyled"
        size="md"
        px="md"
        data-autofocus
        leftSection={<Icon name="search" />}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={found[active] && `${id}-${active}`}
        aria-label={words.palette.title}
        placeholder={words.palette.placeholder}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-list" role="listbox" id={id} aria-label={words.palette.title} ref={list}>
        {found.map((each, index) => (
          <Option
            key={each.to}
            id={`${id}-${index}`}
            destination={each}
            isFirst={each.group !== found[index - 1]?.group}
            isActive={index === active}
            onPoint={() => setActive(index)}
            onChoose={() => open(each)}
          />
        ))}
      </div>
      {found.length === 0 && (
        <Text size="sm" px="md" pb="md" role="status">
          {words.palette.nothing}
        </Text>
      )}
    </>
  );
}

interface OptionProps {
  id: string;
  destination: Destination;
  /** It begins its group, whose name stands beside it. */
  isFirst: boolean;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, destination, isFirst, isActive, onPoint, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the field and chooses there
    <div
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={isActive}
      className="palette-option"
      onMouseMove={onPoint}
      onClick={onChoose}
    >
      {destination.label}
      {isFirst && <small>{words.palette.groups[destination.group]}</small>}
    </div>
  );
}
