import type { TableShape } from '@sluice/store/jobs/job-records.ts';
import { createEntryReader, type EntryPlace, entryId } from './bson-walk.ts';
import { isTime } from './columns.ts';
import { createCsvTable } from './csv-table.ts';
import { createFindRows, type RowOptions } from './find-rows.ts';
import { writePruned } from './pruned-json.ts';

interface Options extends RowOptions {
  /** Names of the columns that lead from a row to its entry, and of all others. */
  header: string[];
  formulas: 'escape' | 'raw';
}

/** The rows of one table as CSV. With `arrays=rows` each begins with the id of its entry and the indexes of its element. */
export function createCsvRows({ header, formulas, ...options }: Options) {
  const { arrays, tables, wanted = 0 } = options;
  const cells = (tables[wanted] as TableShape).columns;
  const isLinked = arrays === 'rows';
  const count = cells.length;
  const timePlace = cells.findIndex(isTime);
  const restPlace = cells.findIndex(({ isRest }) => isRest);
  const table = createCsvTable({ header, formulas });
  const rows = createFindRows(options, writeRow);
  const { root, indexes, types, values } = rows;
  const read = createEntryReader();

  function writeLinks(source: EntryPlace): void {
    table.text(entryId(source));
    for (const index of indexes) table.integer(index);
  }

  function writeRow(source: EntryPlace): void {
    if (isLinked) writeLinks(source);
    for (let place = 0; place < count; place++) {
      const type = types[place] as number;
      if (type !== 0) table.value(source, type, values[place] as number);
      else if (place === timePlace) table.time(source);
      else if (place === restPlace && rows.hasRest())
        table.json((text) => writePruned(text, source, source.payload, root, 'others'));
      else table.empty();
    }
    table.endRow();
  }

  return {
    sink: table.sink,
    writeHeader: table.writeHeader,
    add(entry: Buffer): void {
      const before = table.sink.length;
      try {
        rows.find(read(entry));
      } catch (error) {
        table.sink.length = before;
        throw error;
      }
    },
  };
}
