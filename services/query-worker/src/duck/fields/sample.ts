import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '@sluice/shared/sql-text.ts';
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

/** A field where most entries have a value of their own, and SQL for the values that many have. */
export interface ManyValued {
  source: FieldSource;
  frequent: string[];
}

/** Finds the fields where most of some entries have a value of their own. */
export async function findManyValued(
  connection: DuckDBConnection,
  files: string[],
  selection: RowSelection,
  { sources, members }: Sources,
): Promise<ManyValued[]> {
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  await connection.run('create or replace temp table nothing as from entries limit 0');
  const values = sources.map(({ kind, value }, at) => `${shortened(kind, value)} as v${at}`).join(', ');
  const parts: string[] = [];
  for (let place = 0.5; place < places; place++) {
    const at = (place / places) * files.length;
    const file = `read_parquet(${quoted(files[Math.floor(at)] as string)})`;
    const [[first, last]] = (await rows(
      `select epoch_ms(min("createdAt"))::double, epoch_ms(max("createdAt"))::double from ${file}`,
    )) as [[number, number]];
    const begin = first + (last - first) * (at % 1);
    const all = `(from nothing union all by name from ${file} where "createdAt" >= make_timestamptz(${Math.round(begin * 1_000)}))`;
    parts.push(`(select ${values} from ${rowsOf(selection, members, all)} limit ${wanted / places})`);
  }
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
