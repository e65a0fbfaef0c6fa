import { CloseButton, Drawer, Group, Text } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { toPointer } from '@sluice/json/pointer.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { toText, valueAt } from '../../json/exact.ts';
import { JsonTree } from '../../json/json-tree.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { typedAs } from './conditions.ts';
import { type Entry, entryQuery } from './entries-query.ts';
import type { Fields } from './fields.ts';
import { Sender } from './sender.tsx';

interface Props {
  /** Undefined: the panel is closed. */
  id: string | undefined;
  /** Those of the table, in its order. */
  entries: Entry[];
  open: (id: string) => void;
  close: () => void;
  fields: Fields;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

/** An entry as a whole. The keys j and k lead to the one below and above in the table. */
export function EntryPanel({ id, entries, open, ...rest }: Props) {
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const place = entries.findIndex((entry) => entry.id === id);
  const [above, below] = id && place >= 0 ? [entries[place - 1], entries[place + 1]] : [];
  useHotkeys([
    ['j', () => below && open(below.id)],
    ['k', () => above && open(above.id)],
  ]);
  const entry = id && (
    <OneEntry key={id} id={id} listed={entries[place]} {...rest}>
      {(
        [
          ['above', above],
          ['below', below],
        ] as const
      ).map(([where, beside]) => (
        <SmallButton key={where} px="xs" disabled={!beside} onClick={() => beside && open(beside.id)}>
          {words.entries[where]}
        </SmallButton>
      ))}
    </OneEntry>
  );
  if (isWide) return entry && <Docked close={rest.close}>{entry}</Docked>;
  return (
    <Drawer
      opened={id !== undefined}
      onClose={rest.close}
      position="right"
      size="lg"
      title={words.entries.panel}
    >
      {entry}
    </Drawer>
  );
}

/** Beside the table, which stays at hand. It takes the focus, which the row gets back. */
function Docked({ close, children }: { close: () => void; children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  useHotkeys([['Escape', close]]);
  return (
    <div ref={panel} className="docked" role="dialog" aria-label={words.entries.panel} tabIndex={-1}>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600}>{words.entries.panel}</Text>
        <CloseButton aria-label={words.common.close} onClick={close} />
      </Group>
      {children}
    </div>
  );
}

interface OneProps extends Omit<Props, 'id' | 'entries' | 'open' | 'close'> {
  id: string;
  listed: Entry | undefined;
  children: ReactNode;
}

function OneEntry({ id, listed, fields, pick, children }: OneProps) {
  const { domain } = useApplication();
  const read = useQuery({ ...entryQuery(domain, id), enabled: !listed });
  const entry = listed ?? read.data;
  if (!entry) return <Unread error={read.error} retry={read.refetch} />;
  const json = toText(entry.payload);
  /** Filters do not look into arrays. */
  function behind(path: string[], value: unknown) {
    const parents = path.map((_, at) => valueAt(entry?.payload, toPointer(path.slice(0, at))));
    if (value === null || parents.some(Array.isArray)) return null;
    const { pointer, name, kind } = fields.fieldAt(toPointer(path));
    const text = typedAs(value, kind);
    if (text === undefined) return null;
    const said = words.entries.only(name, text);
    return (
      <button
        type="button"
        className="leaf-only"
        aria-label={said}
        title={said}
        onClick={() => pick(pointer, text)}
      />
    );
  }
  return (
    <>
      <Text ff="monospace">{id}</Text>
      <Text title={entry.createdAt}>
        {formatTime(entry.createdAt)}
        {entry.schema_version !== undefined && ` · ${words.entries.version(entry.schema_version)}`}
      </Text>
      <Sender entry={entry} />
      <Group mb="sm" gap={6}>
        {children}
        <CopyText text={json} label={words.entries.copyJson} size="xs" px="xs" />
      </Group>
      <JsonTree value={entry.payload} label={words.entries.payload} behind={behind} />
    </>
  );
}
