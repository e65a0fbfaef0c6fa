import { Drawer, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { formatTime } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { toText } from '../../json/exact.ts';
import { JsonTree } from '../../json/json-tree.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { type Entry, entryQuery } from './entries-query.ts';
import { Sender } from './sender.tsx';

interface Props {
  /** Undefined: the panel is closed. */
  id: string | undefined;
  /** Those of the table, in its order. */
  entries: Entry[];
  open: (id: string) => void;
  close: () => void;
  onDeleted: (id: string) => void;
}

/** An entry as a whole. The keys j and k lead to the one below and above in the table. */
export function EntryPanel({ id, entries, open, close, onDeleted }: Props) {
  const place = entries.findIndex((entry) => entry.id === id);
  const [above, below] = id && place >= 0 ? [entries[place - 1], entries[place + 1]] : [];
  useHotkeys([
    ['j', () => below && open(below.id)],
    ['k', () => above && open(above.id)],
  ]);
  return (
    <Drawer opened={id !== undefined} onClose={close} position="right" size="lg" title={words.entries.panel}>
      {id && (
        <OneEntry key={id} id={id} listed={entries[place]} {...{ close, onDeleted }}>
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

interface OneProps extends Pick<Props, 'close' | 'onDeleted'> {
  id: string;
  listed: Entry | undefined;
  children: ReactNode;
}

function OneEntry({ id, listed, close, onDeleted, children }: OneProps) {
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
      <JsonTree value={entry.payload} label={words.entries.payload} />
    </>
  );
}
