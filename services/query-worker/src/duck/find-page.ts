import type { DuckDBConnection } from '@duckdb/node-api';
import { listed, quoted } from '@sluice/shared/sql-text.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import type { Reply } from './ask.ts';
import { readColumns } from './columns.ts';
import { whereOf } from './conditions.ts';
import { open } from './open.ts';
import type { EntryFile, PageAnswer, PageAsk } from './page.ts';
import { type AskedPeriod, boundsOf } from './period.ts';

/** Finds the ids of a page, and counts all entries that match. */
export async function findPage(asked: PageAsk): Promise<Reply<PageAnswer>> {
  const connection = await open(asked);
  const params: Record<string, string> = {};
  const sources = await sourcesOf(connection, asked, params);
  if (asked.byColumns && sources.some(({ where }) => where.includes('payload')))
    return { refusal: { message: 'the columns of the files do not decide what the filter selects' } };
  return { answer: await find(connection, asked, { sources, params }) };
}

/** A file with SQL for its entries that match. */
interface Source extends EntryFile {
  where: string;
}

type Counted = Source & { count: number };

async function find(
  connection: DuckDBConnection,
  asked: PageAsk,
  { sources, params }: { sources: Source[]; params: Record<string, string> },
): Promise<PageAnswer> {
  const { others, start, limit } = asked;
  const rows = async (sql: string) => {
    const used = Object.entries(params).filter(([name]) => sql.includes(`$${name}::`));
    return (await connection.runAndReadAll(sql, Object.fromEntries(used))).getRows();
  };
  const counts = sources.length > 0 ? await rows(select(sources, (at) => `${at}, count(*)::double`)) : [];
  const counted = (counts as [number, number][]).flatMap(([at, count]) =>
    count > 0 ? [{ ...(sources[at] as Source), count }] : [],
  );
  const gone = goneOf(asked);
  const [[lost] = [0]] = (
    gone && counted.length > 0
      ? await rows(`select count(*)::double from (${select(counted, () => 'id')}) where id in (${gone})`)
      : []
  ) as [number][];
  const total = counted.reduce((sum, { count }) => sum + count, others.total - lost);
  if (limit === 0) return { ids: [], total };
  const needed = start + limit + lost;
  const chosen = filesOf(counted, asked, needed);
  if (chosen.length === 0) return { ids: others.ids.slice(start, start + limit), total };
  const direction = asked.order === 'oldest' ? 'asc' : 'desc';
  async function read(period: AskedPeriod) {
    const bounds = boundsOf(period);
    const near = chosen.map((source) => ({ ...source, where: [source.where, ...bounds].join(' and ') }));
    const matching = `select id from (${select(near, () => 'id')}) where ${withinOf(asked)}`;
    const kept = gone ? `${matching} and id not in (${gone})` : matching;
    const ids = others.ids.filter((id) => isIn(id, period));
    const all = ids.length > 0 ? `${kept} union all select unnest(${listed(ids)})` : kept;
    return rows(`select id from (${all}) order by id ${direction} limit ${limit} offset ${start}`);
  }
  for (const period of nearPeriods(chosen, asked, needed)) {
    const found = await read(period);
    // Where a whole page is near, nothing further belongs to it.
    if (found.length === limit) return { ids: idsOf(found), total };
  }
  return { ids: idsOf(await read({})), total };
}

const idsOf = (rows: unknown[][]) => rows.map(([id]) => String(id));

const isIn = (id: string, { from, to }: AskedPeriod) =>
  (!from || timeOfId(id) >= new Date(from)) && (!to || timeOfId(id) < new Date(to));

/** Entries mostly come more evenly than this. */
const spread = 16;
const growth = 8;

/** Periods in which the page may be, each longer than the one before: DuckDB skips the groups of rows outside. */
function* nearPeriods(
  chosen: Counted[],
  { order, cursor, end }: PageAsk,
  needed: number,
): Generator<AskedPeriod> {
  const ids = chosen.flatMap(({ first, last }) => [first, last]).sort();
  const least = (order === 'oldest' && cursor) || (ids[0] as string);
  const bounds = order === 'oldest' ? [] : [cursor, end].filter((id) => id !== undefined);
  const most = [...bounds, ids.at(-1) as string].sort()[0] as string;
  const [from, to] = [timeOfId(least).getTime(), timeOfId(most).getTime()];
  const count = chosen.reduce((sum, source) => sum + source.count, 0);
  for (let share = (spread * needed) / count; share < 1; share *= growth) {
    const length = Math.ceil((to - from) * share);
    if (order === 'oldest') yield { to: new Date(from + length + 1).toISOString() };
    else yield { from: new Date(to - length).toISOString() };
  }
}

const select = (some: Source[], what: (at: number) => string): string =>
  some
    .map(({ path, where }, at) => `select ${what(at)} from read_parquet(${quoted(path)}) where ${where}`)
    .join(' union all ');

async function sourcesOf(
  connection: DuckDBConnection,
  { runs, conditions, from, to, after }: PageAsk,
  params: Record<string, string>,
): Promise<Source[]> {
  const bounds = [...boundsOf({ from, to }), ...(after ? [`id > ${quoted(after)}`] : [])];
  // Ids begin with the milliseconds.
  const idAt = (time: string) => Math.max(0, Date.parse(time)).toString(16).padStart(12, '0');
  const hasSome = ({ first, last }: EntryFile) =>
    (!from || last >= idAt(from)) && (!to || first < idAt(to)) && (!after || last > after);
  const sources: Source[] = [];
  for (const files of runs.map((some) => some.filter(hasSome))) {
    if (files.length === 0) continue;
    const columns = await readColumns(
      connection,
      files.map(({ path }) => path),
    );
    const where = [...bounds, whereOf(conditions, columns, params).sql].join(' and ');
    sources.push(...files.map((file) => ({ ...file, where })));
  }
  return sources;
}

/** The ids of deleted entries as a SELECT; undefined: there are none. */
function goneOf({ deleted, removed }: PageAsk): string | undefined {
  const lists = [
    ...(deleted.length > 0 ? [`select id from read_parquet(${listed(deleted)})`] : []),
    ...(removed.length > 0 ? [`select unnest(${listed(removed)}) as id`] : []),
  ];
  return lists.length > 0 ? lists.join(' union all ') : undefined;
}

function withinOf({ order, cursor, end }: PageAsk): string {
  const bounds = [
    ...(cursor ? [`id ${order === 'oldest' ? '>' : '<'} ${quoted(cursor)}`] : []),
    ...(end ? [`id <= ${quoted(end)}`] : []),
  ];
  return bounds.join(' and ') || 'true';
}

/** The files that can have the first `needed` entries behind the cursor. */
function filesOf(counted: Counted[], { order, cursor, end }: PageAsk, needed: number): Counted[] {
  const isOldest = order === 'oldest';
  // Ids that grow in the direction of the page: `near` is passed first.
  const near = ({ first, last }: EntryFile) => (isOldest ? first : last);
  const far = ({ first, last }: EntryFile) => (isOldest ? last : first);
  const isBefore = (one: string, other: string) => (isOldest ? one < other : one > other);
  const behind = counted.filter(
    (file) => (!cursor || isBefore(cursor, far(file))) && (!end || file.first <= end),
  );
  const ordered = behind.toSorted((a, b) => (isBefore(far(a), far(b)) ? -1 : 1));
  let count = 0;
  for (const file of ordered) {
    const isWhole = (!cursor || isBefore(cursor, near(file))) && (!end || file.last <= end);
    if (isWhole) count += file.count;
    if (count >= needed) return behind.filter((other) => !isBefore(far(file), near(other)));
  }
  return behind;
}
