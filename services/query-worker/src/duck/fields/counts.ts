import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { Scalar } from '@sluice/store/entries/entry-filter.ts';
import type { TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { sourceOf } from './one-source.ts';
import { type RowSelection, rowsOf } from './selection.ts';
import { canBeShown, literal, readable, toScalar } from './values.ts';

/** How many entries of a step have a value. Null: the field is null or missing. `rest`: all values without a row. */
export interface StepCount {
  at: string;
  value?: Scalar;
  rest?: true;
  accepted: number;
}

/** Values that have rows: those of most entries. */
const mostValues = 10;

const at = ({ from, length }: TimeSteps, step: number) => new Date(from + step * length).toISOString();
const stepOf = ({ from, length }: TimeSteps) =>
  `floor((epoch_ms("createdAt") - ${from}) / ${length})::integer as step`;

/** Counts the entries of each step. All are in the steps. */
export async function countSteps(
  connection: DuckDBConnection,
  selection: RowSelection,
  steps: TimeSteps,
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
  selection: RowSelection,
  { files, steps, path }: { files: string[]; steps: TimeSteps; path: string[] },
): Promise<StepCount[]> {
  if (files.length === 0) return [];
  // The column of a time does not have its text.
  const { source, members } = await sourceOf(connection, files, path, (kind) => kind !== 'time');
  const { kind, value } = source;
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
