import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { double } from '../payload-tests.ts';
import { type Counting, factsOf, toFacts } from './facts.ts';
import { type Described, mostShown } from './field-summary.ts';
import { binsOf, toBins } from './histogram.ts';
import { type RowSelection, rowsOf } from './selection.ts';
import type { FieldSource, Sources } from './sources.ts';
import { canBeShown, placeOf, readable, shortened } from './values.ts';

/** Describes fields by counting the entries with each of their values. Entries are read once. */
export async function describeFew(
  connection: DuckDBConnection,
  selection: RowSelection,
  { sources, members }: Sources,
): Promise<Described[]> {
  if (sources.length === 0) return [];
  const names = sources.map((_, at) => `v${at}`);
  await connection.run(
    `create or replace temp table value_counts as
     select ${names.join(', ')}, grouping_id(${names.join(', ')}) as field, count(*) as entries
     from (select ${sources.map(({ kind, value }, at) => `${shortened(kind, value)} as v${at}`).join(', ')} from ${rowsOf(selection, members)})
     group by grouping sets (${names.map((name) => `(${name})`).join(', ')})`,
    selection.params,
  );
  const described: Described[] = [];
  for (const [at, source] of sources.entries()) {
    // A bit for each field that a row is not grouped by.
    const field = 2n ** BigInt(sources.length) - 1n - 2n ** BigInt(sources.length - 1 - at);
    const table = `(select v${at} as value, entries from value_counts where field = ${field})`;
    described.push(await describe(connection, source, table));
  }
  return described;
}

const counting: Counting = {
  entries: (condition) => `coalesce(sum(entries) filter (${condition}), 0)::double`,
  values: (_value, condition) => `count(*) filter (${condition})::double`,
};

/** `table`: SQL for rows with `value`, and how many `entries` have it. */
async function describe(
  connection: DuckDBConnection,
  source: FieldSource,
  table: string,
): Promise<Described> {
  const { kind } = source;
  const rows = async (select: string, more = '') =>
    (await connection.runAndReadAll(`select ${select} from ${table} ${more}`)).getRows();
  const [[found] = []] = await rows(factsOf(kind, 'value', counting));
  const facts = toFacts(kind, found as DuckDBValue);
  const top = await rows(
    `${readable(kind, 'value')}, entries::double`,
    `where ${canBeShown(kind, 'value')} order by entries desc, value limit ${mostShown}`,
  );
  const bins = binsOf(kind, facts);
  const place = placeOf(kind, 'value');
  const sums = bins.map(([from, to]) => {
    const isBelow = bins.length === 1 ? '<=' : '<';
    return counting.entries(`${place} >= ${double(from)} and ${place} ${isBelow} ${double(to)}`);
  });
  const [counts = []] = bins.length > 0 ? await rows(sums.join(', ')) : [];
  return {
    source,
    facts,
    top: top as [DuckDBValue, number][],
    histogram: toBins(kind, bins, counts as number[]),
  };
}
