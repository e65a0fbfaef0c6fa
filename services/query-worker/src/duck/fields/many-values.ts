import type { DuckDBConnection, DuckDBListValue, DuckDBStructValue, DuckDBValue } from '@duckdb/node-api';
import { double } from '../payload-tests.ts';
import { type Counting, factsOf, toFacts } from './facts.ts';
import { type Described, mostShown } from './field-summary.ts';
import { binsOf, toBins } from './histogram.ts';
import type { ManyValued } from './sample.ts';
import { type RowSelection, rowsOf } from './selection.ts';
import { placeOf, readable } from './values.ts';

/** Different values that are counted at most. Of more, one in so many is. */
const mostCounted = 50_000;

/** Fields to describe. `members`: of `Sources`. `entries`: at least as many as are selected. */
interface Fields {
  fields: ManyValued[];
  members: string;
  entries: number;
}

/** Describes fields without counting each of their values. Entries are read twice: first for the ends of histograms. */
export async function describeMany(
  connection: DuckDBConnection,
  selection: RowSelection,
  { fields, members, entries }: Fields,
): Promise<Described[]> {
  if (fields.length === 0) return [];
  const values = fields.map(({ source }, at) => `${source.value} as v${at}`).join(', ');
  const read = async (columns: string[]): Promise<DuckDBValue[]> => {
    const select = `select ${columns.join(', ')} from (select ${values} from ${rowsOf(selection, members)})`;
    return (await connection.runAndReadAll(select, selection.params)).getRows()[0] as DuckDBValue[];
  };
  const counting = countingOneIn(Math.ceil(entries / mostCounted));
  const firsts = await read(fields.map(({ source: { kind } }, at) => factsOf(kind, `v${at}`, counting)));
  const known = fields.map(({ source, frequent }, at) => {
    const facts = toFacts(source.kind, firsts[at] as DuckDBValue);
    return { source, frequent, facts, bins: binsOf(source.kind, facts) };
  });
  const seconds = await read(
    known.map(({ source: { kind }, frequent, bins }, at) => {
      const shown = frequent.map(
        (value) => `{value: ${readable(kind, value)}, count: ${counting.entries(`v${at} = ${value}`)}}`,
      );
      return `{bins: ${binCounts(placeOf(kind, `v${at}`), bins)}, shown: [${shown.join(', ')}]}`;
    }),
  );
  return known.map(({ source, facts, bins }, at) => {
    const { bins: counts, shown } = (seconds[at] as DuckDBStructValue).entries;
    const top = itemsOf(shown).map((one) => {
      const { value, count } = (one as DuckDBStructValue).entries;
      return [value, count] as [DuckDBValue, number];
    });
    return {
      source,
      facts,
      top: top.toSorted(([, one], [, other]) => other - one).slice(0, mostShown),
      histogram: toBins(source.kind, bins, itemsOf(counts) as number[]),
    };
  });
}

const itemsOf = (list: DuckDBValue | undefined) => (list as DuckDBListValue | null)?.items ?? [];

/** Counts different values among those whose hash is a multiple. */
const countingOneIn = (many: number): Counting => ({
  entries: (condition) => `count(*) filter (${condition})::double`,
  values: (value, condition) =>
    `${many} * (count(distinct hash(${value})) filter (${condition} and hash(${value}) % ${many} = 0))::double`,
});

/** SQL for the list of how many places are in each bin. */
function binCounts(place: string, bins: [number, number][]): string {
  if (bins.length < 2) return `[count(${place})::double]`;
  // DuckDB's bins have their upper edge, so each place and edge is negated.
  const edges = bins.map(([from]) => double(-from)).toReversed();
  return `list_reverse(map_values(histogram(-${place}, [${edges.join(', ')}])))::double[]`;
}
