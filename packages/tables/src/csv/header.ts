import { laterMark } from '@sluice/json/byte-order-mark.ts';
import { decodeText, explainBytes, explainNuls } from '@sluice/json/explain-bytes.ts';
import { maxNesting } from '@sluice/json/find-issues.ts';
import { prototypeKey } from '@sluice/json/parse-json.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { MalformedText } from '@sluice/json/split.ts';
import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { type Formulas, rearm } from './cell-json.ts';
import { type Delimiter, delimiters, findDelimiter, readRecord } from './record.ts';
import { isRenames, readRenames, rename } from './renames.ts';
import type { ReadLayout } from './split.ts';

const time = 'createdAt';

export interface CsvLayout {
  /** The JSON Pointer of each cell; null for a column that is left out, such as the time of an exported entry. */
  columns: (string | null)[];
  /** What the header calls each cell. */
  names: string[];
  delimiter: Delimiter;
}

export interface CsvOptions {
  schema: Record<string, unknown>;
  formulas: Formulas;
  /** The header that the file lacks, with commas; or other names for columns of its header, see `readRenames`. */
  names?: string | undefined;
}

/** Reads the header of a file, its first record, or of `names`. Throws ApiError. */
export function createReadLayout({ schema, formulas, names }: CsvOptions): ReadLayout<CsvLayout> {
  const renames = names !== undefined && isRenames(names) ? readRenames(names) : undefined;
  const given = names === undefined || renames ? undefined : givenNames(names);
  const named = given && { names: given, columns: toColumns(given, schema, formulas) };
  let hint: Delimiter | undefined;
  return (first) => {
    const text = lossy.decode(first);
    if (named && isEmpty(text)) return undefined;
    if (!hint) {
      hint = hintOf(text);
      if (hint) return undefined;
    }
    if (named) {
      const fits = (delimiter: Delimiter) => cellsIn(text, delimiter)?.length === named.names.length;
      const delimiter = hint ?? delimiters.find(fits) ?? findDelimiter(text);
      const row = readRecord(text, delimiter);
      if (row.ok) refuseLoneReturns(row);
      return { ...named, delimiter, hasHeader: false };
    }
    const header = textOf(first);
    const delimiter = hint ?? findDelimiter(header);
    const found = namesOf(header, delimiter);
    const columns = toColumns(renames ? rename(found, renames) : found, schema, formulas);
    return { columns, names: found, delimiter, hasHeader: true };
  };
}

/** The delimiter that a first line such as `sep=;` names, as Excel writes it. Throws ApiError for another one. */
function hintOf(first: string): Delimiter | undefined {
  const [, named] = /^sep=(.)\r?$/i.exec(first) ?? [];
  if (named === undefined) return undefined;
  const hint = delimiters.find((delimiter) => delimiter === named);
  if (hint) return hint;
  throw new MalformedText(
    `the first line of the CSV is sep=${named}, but only , ; tab and | may separate cells`,
  );
}

/** The field of each name: its JSON Pointer if it begins with `/`, else its keys joined by dots. Null stays null. */
function toColumns(
  names: (string | null)[],
  schema: Record<string, unknown>,
  formulas: Formulas,
): CsvLayout['columns'] {
  const declared = schemaFields(schema);
  const dotted = new Map(
    declared.filter((field) => field.includes('.')).map((field) => [fromPointer(field).join('.'), field]),
  );
  const isTime = names.includes(`/${time}`) || !declared.includes(`/${time}`);

  function toColumn(written: string): string | null {
    const name = formulas === 'escape' ? rearm(written) : written;
    if (name === time) return isTime ? null : `/${time}`;
    if (name.startsWith('/') && /~(?![01])/.test(name))
      throw new MalformedText(`${shown(name)} is no JSON Pointer: ~ is written ~0, and / in a key ~1`);
    const pointer = name.startsWith('/') ? name : toPointer(name.split('.'));
    const keys = pointer.split('/').slice(1);
    if (keys.includes(prototypeKey)) throw new MalformedText(`the key ${prototypeKey} is not allowed`);
    if (keys.length > maxNesting)
      throw new MalformedText(`a column of the CSV is nested more than ${maxNesting} levels deep`);
    if (!name.startsWith('/')) refuseUnclear(name, pointer);
    return pointer;
  }

  /** A field of the schema whose key has a dot was surely meant, unless its pointer is there too, as in exports. */
  function refuseUnclear(name: string, pointer: string): void {
    const field = dotted.get(name);
    if (field === undefined || names.includes(field)) return;
    throw new MalformedText(
      `the column ${shown(name)} of the CSV could be two fields: name it ${shown(field)}, which the schema has, or ${shown(pointer)}`,
    );
  }

  const columns = names.map((name, at) => {
    if (name === null) return null;
    if (name === '')
      throw new MalformedText(`column ${at + 1} of the CSV has no name: give it one, or remove it`);
    return toColumn(name);
  });
  const places = new Map<string | null, string>();
  for (const [at, pointer] of columns.entries()) {
    const name = names[at];
    if (typeof name !== 'string') continue;
    const before = places.get(pointer);
    if (before !== undefined)
      throw new MalformedText(`two columns of the CSV are the same: ${shown(before)} and ${shown(name)}`);
    places.set(pointer, name);
  }
  return columns;
}

const lossy = new TextDecoder();
const isEmpty = (text: string) => /^\r*$/.test(text);

function textOf(header: Uint8Array | undefined): string {
  if (!header) throw new MalformedText('the header of the CSV is longer than a line may be');
  const text = decodeText(header);
  if (text === undefined) throw new MalformedText(`the header of the CSV is ${explainBytes(header)}`);
  if (text.includes('\0')) throw new MalformedText(`the header of the CSV ${explainNuls(header)}`);
  return text;
}

function cellsIn(text: string, delimiter: Delimiter): string[] | undefined {
  const record = readRecord(text, delimiter);
  return record.ok ? record.cells : undefined;
}

function namesOf(text: string, delimiter: Delimiter): string[] {
  if (isEmpty(text)) throw new MalformedText('the CSV has no header');
  if (text.startsWith('\ufeff'))
    throw new MalformedText(`the CSV begins with two byte order marks: ${laterMark}`);
  const record = readRecord(text, delimiter);
  if (!record.ok) throw new MalformedText(`the header of the CSV: ${record.message}; ${curlHint}`);
  refuseLoneReturns(record);
  // An export has one more column, for all other fields.
  if (record.cells.length > maxColumns + 1)
    throw new MalformedText(`the CSV has more than ${maxColumns} columns`);
  return record.cells;
}

/** A file with semicolons would else be one column. */
function givenNames(text: string): string[] {
  const names = namesOf(text, ',');
  const other = names.find((name) => /[;\t|]/.test(name) && !text.includes(`"${name}"`));
  if (other === undefined) return names;
  throw new MalformedText(`commas separate names; put ${shown(other)} in quotes if it is one name`);
}

function refuseLoneReturns({ cells, quoted }: { cells: string[]; quoted: boolean[] }): void {
  if (cells.some((cell, at) => !quoted[at] && cell.includes('\r')))
    throw new MalformedText('the lines of the CSV end in CR alone; LF or CRLF is needed');
}

const curlHint = 'with curl use --data-binary, as -d removes line ends';
const shown = (name: string) => JSON.stringify(name.slice(0, 100));
