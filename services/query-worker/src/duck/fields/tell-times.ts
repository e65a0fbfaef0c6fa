import type { DuckDBConnection } from '@duckdb/node-api';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { Described, FieldSummary } from './field-summary.ts';
import type { RowSelection } from './selection.ts';
import { memberOf } from './sources.ts';

/** Puts the text of an entry in place of each time. Entries can have several texts for a time. */
export async function tellTimes(
  connection: DuckDBConnection,
  { where, params }: RowSelection,
  { source, facts: { ends }, top }: Described,
): Promise<Pick<FieldSummary, 'top' | 'min' | 'max'>> {
  if (!ends) return { top: [] };
  const texts = new Map<unknown, string>();
  for (const micros of new Set([...top.map(([time]) => time), ends.min, ends.max])) {
    const read = await connection.runAndReadAll(
      `select ${memberOf(source.path)} from entries
       where (${where}) and ${source.value} = make_timestamptz(${micros}) limit 1`,
      params,
    );
    texts.set(micros, parseJson(read.getRows()[0]?.[0] as string) as string);
  }
  const told = (time: unknown) => texts.get(time) as string;
  return {
    top: top.map(([time, count]) => ({ value: told(time), count })),
    min: told(ends.min),
    max: told(ends.max),
  };
}
