import { Stack, TextInput, UnstyledButton } from '@mantine/core';
import { toPointer } from '@sluice/json/pointer.ts';
import { type KeyboardEvent, useRef, useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { formatShare } from '../components/formats.ts';
import { words } from '../words/en.ts';
import { rulesOf, typeOf } from './describe.ts';
import { idOf } from './field-inputs.tsx';
import { FieldPanel } from './field-panel.tsx';
import type { MemberProps, PartProps } from './form.ts';
import { type FormShape, innermost, shapeOf } from './shape.ts';

const pageSize = 50;
/** Fewer fields are found without a search. */
const searchFrom = 15;

/** The fields of an object, so many at a time. */
export function Fields({ form, path, pointer, shape }: PartProps) {
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(pageSize);
  const found = shape.properties
    .map((member, place) => ({ member, place }))
    .filter(({ member: { name } }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <Stack gap={0}>
      {shape.properties.length > searchFrom && (
        <TextInput
          mb="xs"
          maw="18rem"
          aria-label={words.form.search(pointer)}
          placeholder={words.form.searchHint(shape.properties.length)}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul className="fields">
        {/* By its place, so that its inputs stay when it gets another name. */}
        {found.slice(0, limit).map(({ member, place }) => (
          <Field key={place} {...{ form, path, pointer, member }} parent={shape} />
        ))}
      </ul>
      {found.length > limit && (
        <SmallButton onClick={() => setLimit(limit + pageSize)}>
          {words.form.more(Math.min(pageSize, found.length - limit), found.length - limit)}
        </SmallButton>
      )}
    </Stack>
  );
}

/** Nested fields are shown at once if they are so few. */
const fewFields = 10;

const lineOf = (item: Element | null) => item?.querySelector<HTMLElement>('.field-line');

function Field(props: MemberProps) {
  const { form, path, pointer: above, member, parent } = props;
  const item = useRef<HTMLLIElement>(null);
  const { name, node } = member;
  const own = { form, path: [...path, 'properties', name], pointer: above + toPointer([name]) };
  const id = idOf(own.path);
  const shape = shapeOf(node, form.text);
  const below = shape && innermost(own.path, own.pointer, shape, form.text);
  const nested = below?.shape.properties.length ?? 0;
  const isFolded = form.folds[id] ?? nested > fewFields;
  const isOpen = form.open?.id === id && !form.isReadOnly;
  const close = () => {
    form.setOpen(undefined);
    lineOf(item.current)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // The fields around it stay open.
    event.stopPropagation();
    close();
  };
  const line = <Line {...{ name, shape, own }} isRequired={parent.required.has(name)} />;
  return (
    <li ref={item}>
      <div className="field-row">
        {nested > 0 && (
          <UnstyledButton
            className="fold"
            aria-expanded={!isFolded}
            aria-label={words.form.fieldsOf(own.pointer)}
            onClick={() => form.fold(id, !isFolded)}
          >
            {isFolded ? '▸' : '▾'}
          </UnstyledButton>
        )}
        {form.isReadOnly ? (
          <div className="field-line">{line}</div>
        ) : (
          <UnstyledButton
            className="field-line"
            aria-expanded={isOpen}
            onClick={() => form.setOpen(isOpen ? undefined : { id, isNew: false })}
          >
            {line}
          </UnstyledButton>
        )}
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is in it
        <div onKeyDown={onKeyDown}>
          <FieldPanel {...props} own={own} onRemove={() => leave(item.current, close)} />
        </div>
      )}
      {below && nested > 0 && !isFolded && <Fields {...below} form={form} />}
    </li>
  );
}

/** The next line moves to the place of a removed one and keeps the focus; the last line has none after it. */
function leave(item: HTMLLIElement | null, close: () => void) {
  close();
  if (item?.nextElementSibling) return;
  const lines = [...document.querySelectorAll<HTMLElement>('.field-line')];
  lines[lines.indexOf(lineOf(item) as HTMLElement) - 1]?.focus();
}

interface LineProps {
  name: string;
  shape: FormShape | undefined;
  own: Omit<PartProps, 'shape'>;
  isRequired: boolean;
}

/** What one reads of a field. */
function Line({ name, shape, own: { form, pointer }, isRequired }: LineProps) {
  const fact = form.facts.get(pointer);
  const rules = new Set(shape && rulesOf(shape, form.text));
  const kinds = new Set(form.changes.filter(({ path }) => path === pointer).map(({ kind }) => kind));
  return (
    <>
      <span className="field-name">
        {name}
        {[...kinds].map((kind) => (
          <small key={kind} className={kind}>
            {' '}
            {words.schema.kinds[kind]}
          </small>
        ))}
      </span>
      <span className="field-type">
        <span>{shape ? typeOf(shape, form.text) : words.form.onlyJson}</span>
        {[...rules].map((rule) => (
          <small key={rule}>{rule}</small>
        ))}
      </span>
      <span className="field-required">{isRequired && words.form.isRequired}</span>
      <span className="field-filled">{fact && words.form.filled(formatShare(fact.filled))}</span>
      <span className="field-example">{fact?.example}</span>
      {(shape?.title || shape?.description) && (
        <span className="field-note">
          {shape.title && <b>{shape.title} </b>}
          {shape.description}
        </span>
      )}
    </>
  );
}
