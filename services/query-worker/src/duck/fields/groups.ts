import type { DuckDBConnection } from '@duckdb/node-api';
import type { Source } from './sources.ts';

/** Which entries count: SQL over `entries`, with named parameters. */
export interface Selection {
  where: string;
  params: Record<string, string>;
}

/** SQL for rows with `value`, and how many `entries` have it. */
export type ValueTable = string;

export interface Grouped {
  source: Source;
  table: ValueTable;
}

/** DuckDB tells groupings apart by the bits of one number. */
const mostAtOnce = 60;

/** Counts the entries by each value of each field. Entries are read once for 60 fields. `members`: see `ofPayload`. */
export async function groupValues(
  connection: DuckDBConnection,
  { where, params }: Selection,
  { sources, members = 'null' }: { sources: Source[]; members?: string },
): Promise<Grouped[]> {
  const grouped: Grouped[] = [];
  for (let start = 0; start < sources.length; start += mostAtOnce) {
    const some = sources.slice(start, start + mostAtOnce);
    const name = `values_${some[0]?.kind === 'json' ? 'of_payload' : 'of_columns'}_${start}`;
    const all = some.map((_, at) => `v${at}`);
    await connection.run(
      `create temp table ${name} as
       select ${all.join(', ')}, grouping_id(${all.join(', ')}) as field, count(*) as entries
       from (
         select ${some.map(({ value }, at) => `${value} as v${at}`).join(', ')}
         from (select *, ${members} as members from entries where ${where})
       )
       group by grouping sets (${all.map((value) => `(${value})`).join(', ')})`,
      params,
    );
    const bits = 2n ** BigInt(some.length) - 1n;
    for (const [at, source] of some.entries()) {
      const field = bits - 2n ** BigInt(some.length - 1 - at);
      grouped.push({
        source,
        table: `(select v${at} as value, entries from ${name} where field = ${field})`,
      });
    }
  }
  return grouped;
}
