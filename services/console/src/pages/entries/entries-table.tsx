import { Skeleton } from '@mantine/core';
import { isExactNumber } from '@sluice/json/numbers.ts';
import type { KeyboardEvent } from 'react';
import { formatTime } from '../../components/formats.ts';
import { valueAt } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { typedAs } from './conditions.ts';
import type { Entry } from './entries-query.ts';
import type { ListedField } from './fields.ts';

/** Longest text in a cell; the panel beside the table shows all of it. */
const cellLength = 80;
/** As many as a window shows. */
const skeletonRows = 25;

const isNumber = (value: unknown) => typeof value === 'number' || isExactNumber(value);

function toText(value: unknown, { kind }: ListedField): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (kind === 'time' && !Number.isNaN(Date.parse(text))) return formatTime(text);
  return text.length > cellLength ? `${text.slice(0, cellLength)}…` : text;
}

interface CellProps extends Pick<Props, 'pick'> {
  value: unknown;
  field: ListedField;
}

function Cell({ value, field, pick }: CellProps) {
  if (value === null) return <td className="absent">null</td>;
  const shown = toText(value, field);
  const text = value !== undefined && typeof value !== 'object' ? typedAs(value, field.kind) : undefined;
  return (
    <td className={isNumber(value) ? 'number' : undefined}>
      {shown}
      {/* The panel has one for the keyboard: the name of a cell is its value alone. */}
      {text !== undefined && (
        <button
          type="button"
          className="only"
          tabIndex={-1}
          aria-hidden
          title={words.entries.only(field.name, shown)}
          onClick={(event) => {
            event.stopPropagation();
            pick(field.pointer, text);
          }}
        />
      )}
    </td>
  );
}

/** Moves between the rows: only one of them takes the Tab key. */
function onKeyDown(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('td:first-child button')];
  const next = move && rows[rows.indexOf(event.target as HTMLButtonElement) + move];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface Props {
  /** Undefined while they are loaded. */
  entries: Entry[] | undefined;
  fields: ListedField[];
  order: 'newest' | 'oldest';
  opened: string | undefined;
  /** Whether others are being loaded. */
  isOld: boolean;
  open: (id: string) => void;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
  turnOrder: () => void;
}

export function EntriesTable({ entries, fields, order, opened, isOld, open, pick, turnOrder }: Props) {
  return (
    <section
      aria-label={words.entries.table}
      className={entries ? 'entries' : 'entries loading'}
      aria-busy={isOld || !entries}
    >
      <table>
        <thead>
          <tr>
            <th aria-sort={order === 'newest' ? 'descending' : 'ascending'}>
              <button type="button" onClick={turnOrder} title={words.entries.orders[order]}>
                {words.entries.createdAt} <span aria-hidden>{order === 'newest' ? '↓' : '↑'}</span>
              </button>
            </th>
            {fields.map(({ pointer, name, kind }) => (
              <th key={pointer} className={kind === 'number' ? 'number' : undefined} title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {entries?.map(({ id, createdAt, payload }, place) => (
            <tr key={id} onClick={() => open(id)} aria-current={id === opened}>
              <td>
                <button type="button" tabIndex={place === 0 ? 0 : -1} title={createdAt}>
                  {formatTime(createdAt)}
                </button>
              </td>
              {fields.map((field) => (
                <Cell key={field.pointer} value={valueAt(payload, field.pointer)} {...{ field, pick }} />
              ))}
            </tr>
          ))}
          {!entries &&
            Array.from({ length: skeletonRows }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows without a name
              <tr key={row}>
                <td colSpan={fields.length + 1}>
                  <Skeleton height={12} my={3} width={`${95 - ((row * 7) % 30)}%`} />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
