import { Modal, Text, TextInput, useMantineColorScheme } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
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
  const { data = [], isPending } = useQuery(applicationsQuery);
  const { domain } = useParams();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  /** Enter was pressed before there was anything to open. */
  const [isAwaited, setAwaited] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = findDestinations(data, domain, search).slice(0, mostShown);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked option follows from the index
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function open({ to, isExternal, colorScheme }: Destination) {
    close();
    if (colorScheme) setColorScheme(colorScheme);
    else if (isExternal) window.location.assign(to);
    else navigate(to);
  }

  const chosen = found[active];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list that comes decides
  useEffect(() => {
    if (isPending || !isAwaited) return;
    setAwaited(false);
    if (chosen) open(chosen);
  }, [isPending]);
  const move = (step: number) => setActive((active + step + found.length) % Math.max(found.length, 1));

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
        aria-activedescendant={chosen && `${id}-${active}`}
        aria-label={words.palette.title}
        placeholder={words.palette.placeholder}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
          setAwaited(false);
        }}
        onKeyDown={getHotkeyHandler([
          ['ArrowDown', () => move(1)],
          ['ArrowUp', () => move(-1)],
          ['Enter', () => (chosen ? open(chosen) : setAwaited(true))],
        ])}
      />
      <div className="palette-list" role="listbox" id={id} aria-label={words.palette.title} ref={list}>
        {found.map((each, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the field and chooses there
          <div
            key={each.to}
            role="option"
            id={`${id}-${index}`}
            tabIndex={-1}
            aria-selected={index === active}
            className="palette-option"
            onMouseMove={() => setActive(index)}
            onClick={() => open(each)}
          >
            {each.label}
            {each.group !== found[index - 1]?.group && <small>{words.palette.groups[each.group]}</small>}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <Text px="md" pb="md" role="status">
          {isPending ? words.common.loading : words.palette.nothing}
        </Text>
      )}
    </>
  );
}
