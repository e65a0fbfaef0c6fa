import { identifier, quoted } from '@sluice/shared/sql-text.ts';
import type { FileColumn } from './file-columns.ts';

/** What the values of a field are in SQL: `json` is JSON text, in which `[` and `{` stand for each array and object. */
export type SourceKind = 'number' | 'boolean' | 'string' | 'date' | 'time' | 'json';

/** Where the values of a field come from. */
export interface Source {
  name: string;
  path: string[];
  kind: SourceKind;
  /** SQL over `entries` and `members`. Null where the field is null or missing. */
  value: string;
}

const kinds: Record<string, SourceKind> = {
  BIGINT: 'number',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
  VARCHAR: 'string',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'time',
};

/** All other fields of an entry, in one object. A field can have such a name too. */
export const isRestName = (name: string) => /^_extra_*$/.test(name);

/** Says of each column whether it decides what a field is. It does not where it can be null although the field is there. */
export function decides(columns: FileColumn[]): (column: FileColumn) => boolean {
  const folded = Map.groupBy(columns, ({ name }) => name.toLowerCase());
  const above = new Set(
    columns.flatMap(({ path }) => path.slice(1).map((_, at) => JSON.stringify(path.slice(0, at + 1)))),
  );
  const hasRest = columns.some(({ name }) => isRestName(name));
  return ({ name, path, types }) =>
    !hasRest &&
    types.length === 1 &&
    folded.get(name.toLowerCase())?.length === 1 &&
    !above.has(JSON.stringify(path));
}

export const ofColumn = ({ name, path, types }: FileColumn): Source => ({
  name,
  path,
  kind: kinds[types[0] as string] as SourceKind,
  value: identifier(name),
});

/** Keys that DuckDB's paths do not take among others. */
const isPlain = (path: string[]) => path.every((key) => key !== '' && key !== '*');

/** The fields as members of the payload, and SQL for the list `members`, for which each payload is read once. */
export function ofPayload(fields: Pick<FileColumn, 'name' | 'path'>[]): {
  sources: Source[];
  members: string;
} {
  const plain = fields.filter(({ path }) => isPlain(path));
  const sources = fields.map((field): Source => {
    const at = plain.indexOf(field) + 1;
    const json = at > 0 ? `members[${at}]` : stepByStep(field.path);
    const value = `case left(${json}, 1) when '[' then '[' when '{' then '{' else nullif(${json}, 'null') end`;
    return { ...field, kind: 'json', value };
  });
  const paths = plain.map(({ path }) => quoted(`$${path.map(stepOf).join('')}`));
  return { sources, members: `json_extract(payload, [${paths.join(', ')}]::varchar[])::varchar[]` };
}

const stepOf = (key: string) => `."${key.replaceAll(/["\\]/g, '\\$&')}"`;

const stepByStep = (path: string[]): string =>
  path.reduce(
    (json, key) => `json_extract(${json}, ${quoted(isPlain([key]) ? `$${stepOf(key)}` : `/${key}`)})`,
    'payload',
  );
