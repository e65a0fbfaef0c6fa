import { Drawer, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { toPointer } from '@sluice/json/pointer.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { toText, valueAt } from '../../json/exact.ts';
import { JsonTree } from '../../json/json-tree.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
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
  onDeleted: (id: string) => void;
  fields: Fields;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

/** An entry as a whole. The keys j and k lead to the one below and above in the table. */
export function EntryPanel({ id, entries, open, ...rest }: Props) {
  const place = entries.findIndex((entry) => entry.id === id);
  const [above, below] = id && place >= 0 ? [entries[place - 1], entries[place + 1]] : [];
  useHotkeys([
    ['j', () => below && open(below.id)],
    ['k', () => above && open(above.id)],
  ]);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={rest.close}
      position="right"
      size="lg"
      title={words.entries.panel}
    >
      {id && (
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
      )}
    </Drawer>
  );
}

interface OneProps extends Omit<Props, 'id' | 'entries' | 'open'> {
  id: string;
  listed: Entry | undefined;
  children: ReactNode;
}

function OneEntry({ id, listed, close, onDeleted, fields, pick, children }: OneProps) {
  const { domain } = useApplication();
  const mayDelete = useMay('editor');
  const read = useQuery({ ...entryQuery(domain, id), enabled: !listed });
  async function remove() {
    const request = { params: { path: { domain, id } } };
    showSuccess((await dataOf(client.DELETE('/api/applications/{domain}/data/{id}', request))).message);
    close();
    onDeleted(id);
  }
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
        {mayDelete && (
          <ConfirmButton
            label={words.common.delete}
            title={words.entries.deleteEntry}
            question={words.entries.deleteQuestion}
            color="red"
            act={remove}
          />
        )}
      </Group>
      <JsonTree value={entry.payload} label={words.entries.payload} behind={behind} />
    </>
  );
}
