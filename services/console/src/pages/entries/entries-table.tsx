import { Skeleton } from '@mantine/core';
import { isExactNumber } from '@sluice/json/numbers.ts';
import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react';
import { formatTime } from '../../components/formats.ts';
import { valueAt } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { typedAs } from './conditions.ts';
import type { Entry } from './entries-query.ts';
import type { ListedField } from './fields.ts';
import { type TableColumns, TableHead } from './table-head.tsx';
import type { Marked } from './use-marked.ts';

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
  style: CSSProperties | undefined;
}

function Cell({ value, field, style, pick }: CellProps) {
  if (value === null)
    return (
      <td className="absent" style={style}>
        null
      </td>
    );
  const shown = toText(value, field);
  const text = value !== undefined && typeof value !== 'object' ? typedAs(value, field.kind) : undefined;
  return (
    <td className={isNumber(value) ? 'number' : undefined} style={style}>
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

/** Moves between the rows, of which only one takes the Tab key, or marks the one that has the focus. */
function onKeyDown(event: KeyboardEvent<HTMLTableSectionElement>, toggle: (place: number) => void): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('td:first-child button')];
  const place = rows.findIndex((row) => row.closest('tr')?.contains(event.target as Node));
  if (event.key === 'x' && place >= 0) toggle(place);
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const next = move && rows[place + move];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface Props {
  /** Names the page. */
  page: string;
  /** Undefined while they are loaded. */
  entries: Entry[] | undefined;
  columns: TableColumns;
  marked: Marked;
  opened: string | undefined;
  /** Whether others are being loaded. */
  isOld: boolean;
  open: (id: string) => void;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

export function EntriesTable({ page, entries, columns, marked, opened, isOld, open, pick }: Props) {
  const { fields } = columns;
  const box = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const place = entries?.findIndex(({ id }) => id === opened) ?? -1;
  const lastPlace = useRef(-1);
  useEffect(() => {
    const row = body.current?.rows[place < 0 ? lastPlace.current : place];
    if (place >= 0) row?.scrollIntoView({ block: 'nearest' });
    // The panel was closed, and had the focus.
    else if (document.activeElement === document.body)
      row?.querySelector('button')?.focus({ preventScroll: true });
    lastPlace.current = place;
  }, [place]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its first row
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
  }, [page]);
  const toggle = (place: number) => entries?.[place] && marked.toggle(entries[place].id);
  return (
    <section
      ref={box}
      aria-label={words.entries.table}
      className={entries ? 'entries' : 'entries loading'}
      aria-busy={isOld || !entries}
    >
      <table>
        <thead>
          <TableHead {...columns} />
        </thead>
        <tbody ref={body} onKeyDown={(event) => onKeyDown(event, toggle)}>
          {entries?.map(({ id, createdAt, payload }, place) => (
            <tr key={id} onClick={() => open(id)} aria-current={id === opened}>
              <td className="created">
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the box takes keys */}
                <label className="mark" onClick={(event) => event.stopPropagation()}>
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={words.entries.mark(formatTime(createdAt))}
                    checked={marked.has(id)}
                    onChange={() => marked.toggle(id)}
                  />
                </label>
                <button type="button" tabIndex={place === 0 ? 0 : -1} title={createdAt}>
                  {formatTime(createdAt)}
                </button>
              </td>
              {fields.map((field) => (
                <Cell
                  key={field.pointer}
                  value={valueAt(payload, field.pointer)}
                  style={columns.widths.styleOf(field.pointer)}
                  {...{ field, pick }}
                />
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
