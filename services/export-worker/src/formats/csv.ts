import type { Column } from '@sluice/shared/columns/columns.ts';
import { createEntryReader } from './bson-walk.ts';
import { takeBytes } from './byte-sink.ts';
import { createCsvTable } from './csv-table.ts';
import { createFindCells } from './find-cells.ts';
import { createFindElements } from './find-elements.ts';
import type { FileFormat } from './format.ts';
import { writePruned } from './pruned-json.ts';
import { unknownLeaf } from './unknown-leaf.ts';

interface Options {
  columns: Column[];
  /** Those that the file has, by name; absent: all. */
  selected?: string[] | undefined;
  /** What it has in their place where arrays have a column for each element. */
  elements?: Column[] | undefined;
  formulas: 'escape' | 'raw';
}

/** A row for each entry, a column for each leaf. */
export function createCsv({ columns, selected, elements, formulas }: Options): FileFormat {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = selected ? selected.map((name) => byName.get(name) as Column) : columns;
  const which = { columns, shown, isAll: !selected };
  const cells = elements ? createFindElements({ ...which, elements }) : createFindCells(which);
  const { types, values, timePlace, restPlace, tree } = cells;
  const table = createCsvTable({ header: (elements ?? shown).map(({ name }) => name), formulas });
  const read = createEntryReader();

  return {
    passes: 1,
    open: () => table.writeHeader(),
    add(entry) {
      const source = read(entry);
      if (!cells.find(source, source.payload)) throw unknownLeaf(source, tree);
      for (let place = 0; place < types.length; place++) {
        const type = types[place] as number;
        if (type !== 0) table.value(source, type, values[place] as number);
        else if (place === timePlace) table.time(source);
        else if (place === restPlace && cells.hasRest())
          table.json((text) => writePruned(text, source, source.payload, tree, 'others'));
        else table.empty();
      }
      table.endRow();
    },
    close() {},
    size: () => table.sink.length,
    take: () => ({ data: takeBytes(table.sink) }),
  };
}
