import { identifier, quoted } from '@sluice/shared/sql-text.ts';
import { isOdd, jsonAt, jsonPath } from '../payload-tests.ts';
import type { FileColumn } from './file-columns.ts';

/** What the values of a field are in SQL: `json` is JSON text, in which `[` and `{` stand for each array and object. */
export type SourceKind = 'integer' | 'number' | 'boolean' | 'string' | 'date' | 'time' | 'json';

/** Where the values of a field come from. */
export interface FieldSource {
  name: string;
  path: string[];
  kind: SourceKind;
  /** SQL over `entries` and `members`. Null where the field is null or missing. */
  value: string;
}

const kinds: Record<string, SourceKind> = {
  BIGINT: 'integer',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'time',
};

/** All other fields of an entry, in one object. A field can have such a name too. */
export const isRestName = (name: string) => /^_extra_*$/.test(name);

/** The fields whose columns say what they are, and those of which only the payload does. */
export function toSources(columns: FileColumn[]): { sources: FieldSource[]; unclear: FileColumn[] } {
  const mayLack = columnsThatMayLack(columns);
  const sources: FieldSource[] = [];
  const unclear: FileColumn[] = [];
  for (const column of columns) {
    const kind = mayLack(column) ? undefined : kindOf(column);
    const name = identifier(column.name);
    if (kind) sources.push({ ...column, kind, value: kind === 'json' ? jsonValue(name) : name });
    else unclear.push(column);
  }
  return { sources, unclear };
}

/** Tells of a column whether it can be null although the field is there, or is one with another column for DuckDB. */
function columnsThatMayLack(columns: FileColumn[]): (column: FileColumn) => boolean {
  const folded = Map.groupBy(columns, ({ name }) => name.toLowerCase());
  const above = new Set(
    columns.flatMap(({ path }) => path.slice(1).map((_, at) => JSON.stringify(path.slice(0, at + 1)))),
  );
  const hasRest = columns.some(({ name }) => isRestName(name));
  return ({ name, path }) =>
    hasRest || folded.get(name.toLowerCase())?.length !== 1 || above.has(JSON.stringify(path));
}

/** DuckDB writes these as JSON does, where other files have texts. */
const likeJson: Record<string, string> = { BIGINT: 'number', BOOLEAN: 'boolean', DATE: 'string' };

/** Undefined: the payload alone tells a text such as `5` from a number. */
function kindOf({ types, texts }: FileColumn): SourceKind | undefined {
  const [type] = types;
  if (types.size === 1 && type !== 'VARCHAR') return kinds[type as string];
  if (!types.has('VARCHAR')) return undefined;
  const others = [...types].filter((each) => each !== 'VARCHAR').map((each) => likeJson[each] ?? 'unknown');
  const all = new Set([...texts, ...others]);
  if (all.has('unknown')) return undefined;
  if (!all.has('string')) return 'json';
  return all.size === 1 ? 'string' : undefined;
}

/** Some fields, and SQL for the list `members` of their rows. */
export interface Sources {
  sources: FieldSource[];
  members: string;
}

/** The fields as members of the payload. `members` has their JSON texts, for which each payload is read once. */
export function ofPayload(fields: Pick<FileColumn, 'name' | 'path'>[]): Sources {
  const plain = fields.filter(({ path }) => !path.some(isOdd));
  const sources = fields.map((field): FieldSource => {
    const at = plain.indexOf(field) + 1;
    const json = at > 0 ? `members[${at}]` : memberOf(field.path);
    return { name: field.name, path: field.path, kind: 'json', value: jsonValue(json) };
  });
  const paths = plain.map(({ path }) => quoted(jsonPath(path)));
  return { sources, members: `json_extract(payload, [${paths.join(', ')}]::varchar[])::varchar[]` };
}

const jsonValue = (json: string) =>
  `case left(${json}, 1) when '[' then '[' when '{' then '{' else nullif(${json}, 'null') end`;

/** SQL for a member of the payload as JSON text. */
export const memberOf = (path: string[]): string => `${jsonAt(path, quoted)}::varchar`;
