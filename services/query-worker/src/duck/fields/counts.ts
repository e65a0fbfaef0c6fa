import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { readColumns } from './file-columns.ts';
import { rowsOf, type Selection } from './selection.ts';
import { ofPayload, type Source, type Sources, toSources } from './sources.ts';
import { canBeShown, literal, readable, type Scalar, toScalar } from './values.ts';

/** Steps of time from `begin` on, each of `length`, in ms. */
export interface Steps {
  begin: number;
  length: number;
  count: number;
}

/** How many entries of a step have a value. Null: the field is null or missing. `rest`: all values without a row. */
export interface StepCount {
  at: string;
  value?: Scalar | null;
  rest?: true;
  accepted: number;
}

/** Values that have rows: those of most entries. */
const mostValues = 10;

const at = ({ begin, length }: Steps, step: number) => new Date(begin + step * length).toISOString();
const stepOf = ({ begin, length }: Steps) =>
  `floor((epoch_ms("createdAt") - ${begin}) / ${length})::integer as step`;

/** Counts the entries of each step. All are in the steps. */
export async function countSteps(
  connection: DuckDBConnection,
  selection: Selection,
  steps: Steps,
): Promise<StepCount[]> {
  const read = await connection.runAndReadAll(
    `select ${stepOf(steps)}, count(*)::double from entries where ${selection.where} group by step`,
    selection.params,
  );
  const counts = new Map(read.getRows() as [number, number][]);
  return Array.from({ length: steps.count }, (_, step) => ({
    at: at(steps, step),
    accepted: counts.get(step) ?? 0,
  }));
}

/** Counts the entries of each step by the values of a field. Counts of 0 have no row. */
export async function countValues(
  connection: DuckDBConnection,
  selection: Selection,
  { files, steps, path }: { files: string[]; steps: Steps; path: string[] },
): Promise<StepCount[]> {
  if (files.length === 0) return [];
  const { sources, members } = await sourceOf(connection, files, path);
  const [{ kind, value }] = sources as [Source];
  const rows = async (sql: string) => (await connection.runAndReadAll(sql, selection.params)).getRows();
  const all = `(select "createdAt", ${value} as value from ${rowsOf(selection, members)})`;
  const top = await rows(
    `select ${readable(kind, 'value')}, value::varchar from ${all} where ${canBeShown(kind, 'value')}
     group by value order by count(*) desc, value limit ${mostValues}`,
  );
  const values = top.map(([found]) => toScalar(kind, found as DuckDBValue));
  const listed = top.map(([, text]) => literal(kind, text as string));
  const place = listed.length > 0 ? `coalesce(list_position([${listed.join(', ')}], value), 0)` : '0';
  const counted = (await rows(
    `select ${stepOf(steps)}, case when value is null then ${nothing} else ${place} end as place, count(*)::double
     from ${all} group by step, place`,
  )) as [number, number, number][];
  return counted.toSorted(byStep).map(([step, place, accepted]) => ({
    at: at(steps, step),
    value: place > 0 && place < nothing ? (values[place - 1] as Scalar) : null,
    ...(place === 0 && { rest: true }),
    accepted,
  }));
}

/** In place of the place of a value, which is from 1 on; 0 is of the rest. */
const nothing = mostValues + 1;

/** Within a step, the most frequent value comes first, and the rest last. */
function byStep(
  [step, place]: [number, number, number],
  [other, otherPlace]: [number, number, number],
): number {
  return step - other || (place || nothing + 1) - (otherPlace || nothing + 1);
}

async function sourceOf(connection: DuckDBConnection, files: string[], path: string[]): Promise<Sources> {
  const { sources } = toSources(await readColumns(connection, files));
  const name = JSON.stringify(path);
  const own = sources.find((source) => JSON.stringify(source.path) === name);
  // The column of a time does not have its text.
  return own && own.kind !== 'time' ? { sources: [own], members: 'null' } : ofPayload([{ name, path }]);
}
