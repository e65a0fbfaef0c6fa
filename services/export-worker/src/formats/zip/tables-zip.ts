import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { takeBytes } from '../byte-sink.ts';
import { createCsvRows } from '../csv-rows.ts';
import type { FileFormat } from '../format.ts';
import { Unexportable } from '../unexportable.ts';
import { tableHeaders } from './table-headers.ts';
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
  const zip = createZipFile({
    names: headers.map(({ file }) => file),
    time,
    notes: notes as ZipNote[],
  });
  const begin = (pass: number) => ({
    pass,
    ...createCsvRows({
      columns: tables[0]?.columns as Column[],
      arrays: 'rows',
      tables,
      wanted: pass,
      header: headers[pass]?.header as string[],
      formulas,
    }),
  });
  let table = begin(zip.last?.file ?? 0);
  let entries = zip.last?.own ?? 0;
  let isWhole = false;
  /** Whether something is to be kept, be it only that entries without rows were read. */
  let isDue = false;

  return {
    columns: headers.flatMap(({ file, header }) => header.map((name) => `${file}:${name}`)),
    passes: tables.length,
    open(pass) {
      table = begin(pass);
      entries = 0;
      isWhole = false;
      table.writeHeader();
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
    size: () => table.sink.length + (isDue ? 1 : 0),
    take() {
      isDue = false;
      return zip.piece(table.pass, isWhole, takeBytes(table.sink), entries);
    },
  };
}

const late =
  'entries that were under way when the export began were stored while its tables were written; begin the export anew';
