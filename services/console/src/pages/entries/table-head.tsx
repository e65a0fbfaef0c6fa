import { type PointerEvent, useState } from 'react';
import { words } from '../../words/en.ts';
import type { ListedField } from './fields.ts';
import type { ColumnWidths } from './use-widths.ts';
import type { View, ViewSort } from './view.ts';

/** The columns of the table, and what sorts them. */
export interface TableColumns {
  fields: ListedField[];
  order: View['order'];
  sort: ViewSort | undefined;
  /** Undefined: by time again. */
  setSort: (sort: ViewSort | undefined) => void;
  turnOrder: () => void;
  widths: ColumnWidths;
  /** Puts a column where another one is. */
  move: (pointer: string, to: string) => void;
}

/** Least texts, and greatest numbers and times, are looked for first. */
const startsDescending = ({ kind }: ListedField) => ['number', 'date', 'time'].includes(kind);

function nextSort(field: ListedField, sort: ViewSort | undefined): ViewSort | undefined {
  const { pointer } = field;
  const descending = startsDescending(field);
  if (sort?.pointer !== pointer) return { pointer, descending };
  return sort.descending === descending ? { pointer, descending: !descending } : undefined;
}

/** The heads of the columns sort, and are dragged to another place. */
export function TableHead({ fields, order, sort, setSort, turnOrder, widths, move }: TableColumns) {
  const [dragged, setDragged] = useState<string>();
  const byTime = sort ? 'none' : order === 'newest' ? 'descending' : 'ascending';
  return (
    <tr>
      <th aria-sort={byTime} className="created">
        <button
          type="button"
          onClick={sort ? () => setSort(undefined) : turnOrder}
          title={words.entries.orders[order]}
        >
          {words.entries.createdAt} <Arrow direction={byTime} />
        </button>
      </th>
      {fields.map((field) => {
        const { pointer, name, kind } = field;
        const direction = sort?.pointer !== pointer ? 'none' : sort.descending ? 'descending' : 'ascending';
        return (
          <th
            key={pointer}
            aria-sort={direction}
            className={kind === 'number' ? 'number' : undefined}
            style={widths.styleOf(pointer)}
            draggable
            onDragStart={() => setDragged(pointer)}
            onDragOver={(event) => dragged && event.preventDefault()}
            onDrop={() => dragged && dragged !== pointer && move(dragged, pointer)}
          >
            <button
              type="button"
              title={words.entries.sortBy(name)}
              onClick={() => setSort(nextSort(field, sort))}
            >
              {name}
              {direction !== 'none' && ' '}
              <Arrow direction={direction} />
            </button>
            <Edge setWidth={(width) => widths.set(pointer, width)} />
          </th>
        );
      })}
    </tr>
  );
}

const arrows = { none: '', ascending: '↑', descending: '↓' };

const Arrow = ({ direction }: { direction: keyof typeof arrows }) => (
  <span aria-hidden>{arrows[direction]}</span>
);

/** The right edge of a column, which is dragged; a double click gives the column its own width again. */
function Edge({ setWidth }: { setWidth: (pixels: number | undefined) => void }) {
  const [start, setStart] = useState<{ x: number; width: number }>();
  function onPointerDown(event: PointerEvent<HTMLElement>) {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setStart({ x: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? 0 });
  }
  return (
    <span
      className="edge"
      aria-hidden
      onPointerDown={onPointerDown}
      onPointerMove={({ clientX }) => start && setWidth(start.width + clientX - start.x)}
      onPointerUp={() => setStart(undefined)}
      onDoubleClick={() => setWidth(undefined)}
    />
  );
}
