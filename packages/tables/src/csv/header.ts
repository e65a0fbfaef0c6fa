import { maxNesting } from '@sluice/json/find-issues.ts';
import { prototypeKey } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import { columnsOf } from '../columns.ts';
import { type Formulas, rearm } from './cell-json.ts';
import { type Delimiter, findDelimiter, readRecord } from './record.ts';

const time = 'createdAt';

export interface CsvLayout {
  /** The JSON Pointer of each cell; null for the time of an exported entry, which cannot be set. */
  columns: (string | null)[];
  delimiter: Delimiter;
}

/** Reads a header. A name is a column of exports, else a pointer, else keys joined by dots. Throws ApiError. */
export function readHeader(
  header: Uint8Array | undefined,
  schema: Record<string, unknown>,
  recorded: string[],
  formulas: Formulas,
): CsvLayout {
  const known = new Map(columnsOf(schema, recorded).map(({ name, pointer }) => [name, pointer]));
  const text = textOf(header);
  // Exports always have commas, even if their names have other delimiters.
  const isOurs = (name: string) => name === time || known.has(name);
  const delimiter = namesIn(text, ',')?.every(isOurs) ? ',' : findDelimiter(text);
  const names = namesOf(text, delimiter);
  const isTime = names.includes(`/${time}`) || !schemaFields(schema).includes(`/${time}`);

  function toColumn(written: string): string | null {
    const name = formulas === 'escape' && !known.has(written) ? rearm(written) : written;
    if (name === time) return isTime ? null : `/${time}`;
    const isPointer = name.startsWith('/') && !known.has(name);
    if (isPointer && /~(?![01])/.test(name))
      throw malformed(`${shown(name)} is no JSON Pointer: ~ is written ~0, and / in a key ~1`);
    const pointer = known.get(name) ?? (isPointer ? name : toPointer(name.split('.')));
    const keys = pointer.split('/').slice(1);
    if (keys.includes(prototypeKey)) throw malformed(`the key ${prototypeKey} is not allowed`);
    if (keys.length > maxNesting)
      throw malformed(`a column of the CSV is nested more than ${maxNesting} levels deep`);
    return pointer;
  }

  const columns = names.map((name, at) => {
    if (name === '') throw malformed(`column ${at + 1} of the CSV has no name: give it one, or remove it`);
    return toColumn(name);
  });
  const places = new Map<string | null, string>();
  for (const [at, pointer] of columns.entries()) {
    const name = names[at] as string;
    const before = places.get(pointer);
    if (before !== undefined)
      throw malformed(`two columns of the CSV are the same: ${shown(before)} and ${shown(name)}`);
    places.set(pointer, name);
  }
  return { columns, delimiter };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(header: Uint8Array | undefined): string {
  if (!header) throw malformed('the header of the CSV is longer than a line may be');
  try {
    return utf8.decode(header);
  } catch {
    throw malformed('the header of the CSV is not valid UTF-8');
  }
}

function namesIn(text: string, delimiter: Delimiter): string[] | undefined {
  const record = readRecord(text, delimiter);
  return record.ok ? record.cells : undefined;
}

function namesOf(text: string, delimiter: Delimiter): string[] {
  if (/^\r?$/.test(text)) throw malformed('the CSV has no header');
  const record = readRecord(text, delimiter);
  if (!record.ok) throw malformed(`the header of the CSV: ${record.message}; ${curlHint}`);
  if (record.cells.some((name, at) => !record.quoted[at] && name.includes('\r'))) {
    throw malformed('the lines of the CSV end in CR alone; LF or CRLF is needed');
  }
  // An export has one more column, for all other fields.
  if (record.cells.length > maxColumns + 1) throw malformed(`the CSV has more than ${maxColumns} columns`);
  return record.cells;
}

const curlHint = 'with curl use --data-binary, as -d removes line ends';
const shown = (name: string) => JSON.stringify(name.slice(0, 100));
const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);
