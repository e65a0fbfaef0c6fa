import { Checkbox, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { saveFile } from '../../components/save-file.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import type { Entry, ListSelection } from './entries-query.ts';
import type { Fields, ListedField } from './fields.ts';
import { saySelection } from './selection-text.ts';
import type { Marked } from './use-marked.ts';
import { exportPath, type View } from './view.ts';

interface Props {
  view: View;
  selection: ListSelection;
  entries: Entry[];
  total: number;
  marked: Marked;
  /** Whether others are being loaded. */
  isOld: boolean;
  allFields: Fields;
  /** Of the columns. */
  fields: ListedField[];
  onDeleted: (ids: string[]) => void;
  /** While none is marked. */
  children: ReactNode;
}

/** Marks all entries of the page, or all that are selected, and acts on those that are marked. */
export function SelectionBar({ view, selection, entries, total, marked, isOld, ...props }: Props) {
  const { domain } = useApplication();
  const mayDelete = useMay('editor');
  const [isDeleting, { open, close }] = useDisclosure();
  const { ids, isAll } = marked;
  const isWhole = entries.length > 0 && entries.every(({ id }) => marked.has(id));
  const count = isAll ? total : ids.length;
  async function save() {
    const { toCsv } = await import('./to-csv.ts');
    const rows = entries.filter(({ id }) => marked.has(id));
    saveFile(toCsv(rows, props.fields), `${domain}-${rows.length}.csv`);
  }
  async function remove() {
    for (const id of ids) {
      await dataOf(
        client.DELETE('/api/applications/{domain}/data/{id}', { params: { path: { domain, id } } }),
      );
      props.onDeleted([id]);
    }
    marked.set([]);
    showSuccess(words.entries.deleted(ids.length));
  }
  return (
    <>
      <Checkbox
        size="xs"
        aria-label={words.entries.markPage}
        checked={isWhole}
        indeterminate={ids.length > 0 && !isWhole}
        disabled={isOld || entries.length === 0}
        onChange={() => marked.set(isWhole ? [] : entries.map(({ id }) => id))}
      />
      {ids.length === 0 ? (
        props.children
      ) : (
        <>
          <Text size="xs" fw={600} role="status">
            {words.entries.marked(count)}
          </Text>
          {isWhole && !isAll && total > ids.length && view.unread.length === 0 && (
            <SmallButton variant="subtle" onClick={marked.setAll}>
              {words.entries.markAll(total)}
            </SmallButton>
          )}
          {isAll ? (
            <SmallButton component={Link} to={exportPath(domain, view)}>
              {words.entries.exportCount(count)}
            </SmallButton>
          ) : (
            <ActButton act={save}>{words.entries.exportCount(count)}</ActButton>
          )}
          {mayDelete &&
            (isAll ? (
              <SmallButton onClick={open}>{words.entries.deleteMarked(count)}</SmallButton>
            ) : (
              <ConfirmButton
                label={words.entries.deleteMarked(count)}
                title={words.entries.deleteMarked(count)}
                question={words.entries.deleteForGood(count)}
                color="red"
                count={count}
                act={remove}
              />
            ))}
          <SmallButton variant="subtle" onClick={() => marked.set([])}>
            {words.entries.unmark}
          </SmallButton>
        </>
      )}
      {isDeleting && (
        <DeleteDialog
          {...{ selection, close }}
          said={saySelection(view, props.allFields)}
          onStarted={() => marked.set([])}
        />
      )}
    </>
  );
}
