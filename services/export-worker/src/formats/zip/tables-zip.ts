import type { Column } from '@sluice/shared/columns/columns.ts';
import type { TableShape } from '@sluice/shared/store/job-records.ts';
import { createEntryReader, type EntryPlace, entryId } from '../bson-walk.ts';
import { takeBytes } from '../byte-sink.ts';
import { createCsvTable } from '../csv-table.ts';
import { placesOf } from '../find-cells.ts';
import type { FileFormat } from '../format.ts';
import { writePruned } from '../pruned-json.ts';
import { Unexportable } from '../unexportable.ts';
import { unknownLeaf } from '../unknown-leaf.ts';
import { createFindRows } from './find-rows.ts';
import { tableHeaders } from './table-trees.ts';
import { createZipFile, type ZipNote } from './zip-file.ts';

interface Options {
  tables: TableShape[];
  formulas: 'escape' | 'raw';
  /** Of the files in the archive. */
  time: Date;
  notes: unknown[];
}

/** A ZIP with a CSV file for each table. The entries are read once for each of them. */
export function createTablesZip({ tables, formulas, time, notes }: Options): FileFormat {
  const headers = tableHeaders(tables);
  // The own note of each piece: how many entries were read for its table.
  const zip = createZipFile<number>({
    names: headers.map(({ file }) => file),
    time,
    notes: notes as ZipNote<number>[],
  });
  let table = createTable({ tables, formulas, headers, pass: zip.last?.file ?? 0 });
  let entries = zip.last?.own ?? 0;
  let isWhole = false;
  /** Whether something is to be kept, be it only that entries without rows were read. */
  let isDue = false;

  return {
    passes: tables.length,
    open(pass) {
      table = createTable({ tables, formulas, headers, pass });
      entries = 0;
      isWhole = false;
      table.csv.writeHeader();
    },
    add(entry) {
      table.add(entry);
      entries += 1;
      isDue = true;
    },
    close(pass) {
      isWhole = true;
      isDue = true;
      // There are fewer only when the application is deleted, which is found out elsewhere.
      if (pass > 0 && entries > (zip.whole[0]?.own as number)) throw new Unexportable(late);
    },
    size: () => table.csv.sink.length + (isDue ? 1 : 0),
    take() {
      isDue = false;
      return zip.piece(table.pass, isWhole, takeBytes(table.csv.sink), entries);
    },
  };
}

const late =
  'entries that were under way when the export began were stored while its tables were written; begin the export anew';

interface TableOptions extends Pick<Options, 'tables' | 'formulas'> {
  headers: { header: string[] }[];
  pass: number;
}

function createTable({ tables, formulas, headers, pass }: TableOptions) {
  const csv = createCsvTable({ header: headers[pass]?.header as string[], formulas });
  const { timePlace, restPlace } = placesOf(tables[pass]?.columns as Column[]);
  const rows = createFindRows(tables, pass, writeRow);
  const { indexes, types, values } = rows;
  const read = createEntryReader();
  let source: EntryPlace;
  let id: string;

  function writeRow(): void {
    csv.text(id);
    for (const index of indexes) csv.integer(index);
    for (let place = 0; place < types.length; place++) {
      const type = types[place] as number;
      if (type !== 0) csv.value(source, type, values[place] as number);
      else if (place === timePlace) csv.time(source);
      else if (place === restPlace && rows.hasRest())
        csv.json((text) => writePruned(text, source, source.payload, rows.tree, 'others'));
      else csv.empty();
    }
    csv.endRow();
  }

  return {
    pass,
    csv,
    add(entry: Buffer): void {
      source = read(entry);
      id = entryId(source);
      const before = csv.sink.length;
      if (rows.find(source, source.payload)) return;
      csv.sink.length = before;
      throw unknownLeaf(source, rows.tree);
    },
  };
}
