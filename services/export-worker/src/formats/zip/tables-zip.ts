import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { createCsvRows } from '../csv.ts';
import type { FileFormat, FilePiece, SenderText } from '../format.ts';
import { dataDescriptor, directory, localHeader, type ZipEntry } from './zip-records.ts';

interface Options {
  tables: TableShape[];
  formulas: 'escape' | 'raw';
  senderText?: SenderText | undefined;
  /** Modification time of the files in the archive. */
  time: Date;
  notes: unknown[];
}

/** A ZIP with a CSV file for each table. The entries are read once for each table. */
export function createTablesZip({ tables, formulas, senderText, time, notes }: Options): FileFormat {
  const headers = tableHeaders(tables);
  const names = headers.map(({ file }) => file);
  const zip = createZipFile(names, time, notes as ZipNote[]);
  const begin = (pass: number) => ({
    pass,
    ...createCsvRows({
      columns: tables[0]?.columns as Column[],
      arrays: 'rows',
      tables,
      wanted: pass,
      header: headers[pass]?.header as string[],
      formulas,
      senderText,
    }),
  });
  let table = begin(zip.last?.file ?? 0);
  let entries = zip.last?.own ?? 0;
  let isWhole = false;
  /** Whether a piece is due, even without bytes: entries without rows count too. */
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
      // Fewer entries mean that the application is deleted, which `writeFile` notices.
      if (pass > 0 && entries > (zip.whole[0]?.own as number)) throw new JobFailed(late);
    },
    size: () => table.size() + (isDue ? 1 : 0),
    take() {
      isDue = false;
      return zip.piece(table.pass, isWhole, table.take(), entries);
    },
  };
}

const late =
  'entries that were under way when the export began were stored while its tables were written; begin the export anew';

/** The column for the id of the entry, in every table. */
export const entryColumn = 'entry';

/** The columns that locate an element: its entry, the indexes of the outer elements, and its own index. */
export function linkColumns(outer: string[]): string[] {
  return [entryColumn, ...outer.map((table) => `${table}.index`), 'index'];
}

/** The file name of each table, and its header row. */
export function tableHeaders(tables: TableShape[]): { file: string; header: string[] }[] {
  const names = new Map(tables.map(({ name, path }) => [JSON.stringify(path), name]));
  return tables.map(({ name, path, columns }) => {
    const outer = path
      .slice(1)
      .map((_, depth) => names.get(JSON.stringify(path.slice(0, depth + 1))) as string);
    const links = path.length > 0 ? linkColumns(outer) : [entryColumn];
    return { file: `${name}.csv`, header: [...links, ...columns.map((column) => column.name)] };
  });
}

const compress = promisify(deflateRaw);
/** Level 3 takes half the default's time for a tenth more bytes. The flush ends each piece at a byte. */
const options = { level: 3, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1024 ** 2 };
/** An empty deflate block, marked as the last. */
const lastBlock = Buffer.from([0x03, 0x00]);

/** The progress after a piece, stored with its part. */
interface ZipNote extends Omit<ZipEntry, 'name'> {
  /** Number of the file in the archive. */
  file: number;
  isWhole: boolean;
  /** Where the piece ends, in bytes from the start of the archive. */
  end: number;
  /** Entries read for this file. */
  own: number;
}

/** A ZIP archive, written in pieces. A piece belongs to one file. */
function createZipFile(names: string[], time: Date, notes: ZipNote[]) {
  const whole = notes.filter(({ isWhole }) => isWhole);
  let state = notes.at(-1);

  /** Compresses the next text of a file, and adds the records of the archive around it. */
  async function piece(file: number, isWhole: boolean, text: Buffer, own: number): Promise<FilePiece> {
    const name = names[file] as string;
    const end = state?.end ?? 0;
    const begun = state?.file === file ? state : undefined;
    const { start, ...before } = begun ?? { start: end, crc: 0, packed: 0, size: 0 };
    const blocks = [await compress(text, options), ...(isWhole ? [lastBlock] : [])];
    const data = begun ? blocks : [localHeader(name, time), ...blocks];
    const entry: ZipEntry = {
      name,
      crc: crc32(text, before.crc),
      packed: before.packed + lengthOf(blocks),
      size: before.size + text.length,
      start,
    };
    if (isWhole) data.push(dataDescriptor(entry));
    const { name: _, ...sizes } = entry;
    state = { ...sizes, file, isWhole, own, end: end + lengthOf(data) };
    if (isWhole) whole.push(state);
    if (whole.length === names.length) {
      const entries = whole.map(({ file, ...sizes }) => ({ ...sizes, name: names[file] as string }));
      data.push(directory(entries, time, state.end));
    }
    return { data: Buffer.concat(data), note: state };
  }

  return { piece, whole, last: state };
}

const lengthOf = (parts: Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0);
