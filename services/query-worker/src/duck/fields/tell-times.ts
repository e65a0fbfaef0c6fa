import type { DuckDBConnection } from '@duckdb/node-api';
import { type FieldSummary, mostShown } from './describe-values.ts';
import type { Selection } from './groups.ts';
import { ofPayload, type Source } from './sources.ts';

/** Puts the texts of times, as entries have them, in place of their microseconds. Equal times can have several texts. */
export async function tellTimes(
  connection: DuckDBConnection,
  { where, params }: Selection,
  { name, path, value }: Source,
  summary: FieldSummary,
): Promise<FieldSummary> {
  const { top, min, max } = summary;
  const instants = new Set([...top.map(({ value }) => value), min, max].filter((each) => each !== undefined));
  if (instants.size === 0) return summary;
  const { sources, members } = ofPayload([{ name, path }]);
  const times = [...instants].map((micros) => `make_timestamptz(${micros})`);
  const read = await connection.runAndReadAll(
    `select epoch_us(${value}), ${sources[0]?.value} as text, count(*)::double as count
     from (select *, ${members} as members from entries where (${where}) and ${value} in (${times.join(', ')}))
     group by all order by count desc, text`,
    params,
  );
  const found = (read.getRows() as [bigint, string, number][]).map(([micros, json, count]) => ({
    micros,
    value: JSON.parse(json) as string,
    count,
  }));
  const textOf = (micros: unknown) => found.find((one) => one.micros === micros)?.value as string;
  const shown = new Set(top.map(({ value }) => value));
  return {
    ...summary,
    top: found
      .filter(({ micros }) => shown.has(micros))
      .slice(0, mostShown)
      .map(({ value, count }) => ({ value, count })),
    min: textOf(min),
    max: textOf(max),
  };
}
