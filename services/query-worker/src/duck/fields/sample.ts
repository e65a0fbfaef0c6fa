import type { DuckDBConnection } from '@duckdb/node-api';
import { listed } from '@sluice/shared/sql-text.ts';
import type { CountedFile } from './file-columns.ts';
import { type RowSelection, rowsOf } from './selection.ts';
import type { FieldSource, Sources } from './sources.ts';
import { canBeShown, literal, shortened } from './values.ts';

/** Entries that are looked at, and at how many places of the files. */
const wanted = 10_000;
const places = 8;
/** With fewer different values in the sample, all can be counted. */
const fewValues = 500;
const manyShare = 0.8;
/** A value of so many entries of the sample is frequent. */
const frequentCount = 5;
const mostFrequent = 20;

/** DuckDB has such a column, unless a field is called so. */
const rowNumber = 'file_row_number';

/** A field where most entries have a value of their own, and SQL for the values that many have. */
export interface ManyValued {
  source: FieldSource;
  frequent: string[];
}

/** Finds the fields where most of some entries have a value of their own. */
export async function findManyValued(
  connection: DuckDBConnection,
  files: CountedFile[],
  selection: RowSelection,
  { sources, members }: Sources,
): Promise<ManyValued[]> {
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  await connection.run('create or replace temp table nothing as from entries limit 0');
  const values = sources.map(({ kind, value }, at) => `${shortened(kind, value)} as v${at}`).join(', ');
  const nothing = await connection.runAndReadAll('from nothing');
  const hasOwn = nothing.columnNames().some((name) => name.toLowerCase() === rowNumber);
  const parts = Array.from({ length: places }, (_, place) => {
    const all = `(from nothing union all by name from ${placeIn(files, place, hasOwn)})`;
    return `(select ${values} from ${rowsOf(selection, members, all)} limit ${wanted / places})`;
  });
  await connection.run(
    `create or replace temp table sample as ${parts.join(' union all ')}`,
    selection.params,
  );
  const counts = sources.map((_, at) => `count(v${at})::double, count(distinct v${at})::double`);
  const [found = []] = await rows(`select count(*)::double, ${counts.join(', ')} from sample`);
  const [all, ...counted] = found as number[];
  // Few entries are selected.
  if ((all as number) < wanted / 2) return [];
  const many: ManyValued[] = [];
  for (const [at, source] of sources.entries()) {
    const [filled, distinct] = counted.slice(2 * at) as [number, number];
    if (distinct < fewValues || distinct < manyShare * filled) continue;
    const frequent = await rows(
      `select v${at}::varchar from sample where ${canBeShown(source.kind, `v${at}`)} group by v${at}
       having count(*) >= ${frequentCount} order by count(*) desc limit ${mostFrequent}`,
    );
    many.push({ source, frequent: frequent.map(([text]) => literal(source.kind, text as string)) });
  }
  return many;
}

/** SQL for the rows of some files, or of one file from a row on. `hasOwn`: a field is called like the number of a row. */
function placeIn(files: CountedFile[], place: number, hasOwn: boolean): string {
  const [from, to] = [place, place + 1].map((each) => (each / places) * files.length) as [number, number];
  const first = Math.floor(from);
  const some = files.slice(first, Math.max(Math.floor(to), first + 1));
  const table = `read_parquet(${listed(some.map(({ path }) => path))}, union_by_name = true)`;
  if (files.length >= places || hasOwn) return table;
  return `${table} where ${rowNumber} >= ${Math.floor((from % 1) * (some[0] as CountedFile).entries)}`;
}
