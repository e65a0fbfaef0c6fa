import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { createKeysAt, idOfKey, timeOfId } from '@sluice/store/entries/entry-id.ts';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { askedIds } from '../../../test/support/asked-ids.ts';
import { dyingStore } from '../../../test/support/dying-store.ts';
import { rowsOf } from '../../../test/support/lake.ts';
import { payloadOf } from '../../../test/support/payload-of.ts';
import { runs as times } from '../../../test/support/runs.ts';
import type { AnswerFormat, Question } from './duck/question.ts';
import { createProcesses } from './processes.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;
const log = createLogger('test', { level: 'silent', pretty: false });
const dayMs = 86_400_000;
const keysAt = createKeysAt();

/** An application, and someone who asks. */
async function start() {
  const runs = await archiveRuns();
  const { application, domain, root, store } = runs;
  function processesOf(ms?: number) {
    const made = createProcesses(ownFolder(), ms);
    onTestFinished(made.close);
    return made;
  }
  const processes = processesOf();
  const startRun = async () => void (await runs.run(await store.askedArchives.ask(application)));
  const { segmentsOf } = createSegments({ store, startRun, folder: root, freshMs: 0 });

  async function reply(
    sql: string,
    { params = [], format = 'json' }: Partial<Pick<Question, 'params' | 'format'>> = {},
  ) {
    const segments = await segmentsOf(application, domain, never);
    return processes.ask('question', { ...segments, sql, params, format }, never);
  }

  async function body(sql: string, options: { params?: Question['params']; format?: AnswerFormat } = {}) {
    const found = await reply(sql, options);
    if ('refusal' in found) throw new Error(found.refusal.message);
    return found.answer;
  }

  async function ask(sql: string, params: Question['params'] = []) {
    return JSON.parse(Buffer.from((await body(sql, { params })).body).toString());
  }

  async function refusal(sql: string) {
    const found = await reply(sql);
    if ('answer' in found) throw new Error(Buffer.from(found.answer.body).toString());
    return found.refusal;
  }

  /** Stores entries of so many days ago. `isLate`: as an import does. Returns their ids. */
  async function insertAt(days: number[], isLate = false): Promise<string[]> {
    const times = days.map((ago) => Date.now() - ago * dayMs);
    const announced = isLate ? await store.milestones.removeFrom(application, Math.min(...times)) : undefined;
    const entries = times.map((time, n) => ({
      key: keysAt(Buffer.from(application, 'hex'), time),
      ...payloadOf({ n }),
      version: 1,
      ...(announced !== undefined && { announced }),
    }));
    await store.entries.insertKeyed(entries);
    return entries.map(({ key }) => idOfKey(key));
  }

  return { ...runs, insertAt, ask, body, reply, refusal, segmentsOf, processesOf };
}

it('answers over all entries, without deleted ones', async () => {
  const { ask, insert, store, application, storedIds } = await start();
  expect(await ask('select count(*) from entries')).toEqual({
    columns: [{ name: 'count_star()', type: 'BIGINT' }],
    rows: [[0]],
    as_of: null,
    truncated: false,
  });
  await store.fields.add(application, ['/place', '/inner/deep']);
  await insert(100, (n) => ({ n, place: `p${n % 3}`, inner: { deep: n % 2 === 0 } }));
  const counted = await ask('select count(*), sum(n), min(schema_version) from entries');
  expect(counted.rows).toEqual([[100, 4_950, 1]]);
  const [first] = await storedIds();
  await store.deletions.removeOne(application, first as string);
  await insert(1, () => ({ n: 1_000 }));
  expect((await ask('select count(*), max(n) from entries')).rows).toEqual([[100, 1_000]]);
  const { rows } = await ask('select payload from entries where n = $1', [7]);
  expect((await ask('select typeof($b), $a', { a: 'x', b: 7 })).rows).toEqual([['BIGINT', 'x']]);
  expect(JSON.parse(rows[0][0])).toEqual({ n: 7, place: 'p1', inner: { deep: false } });
});

it('answers over entries that moved into an archive of the owner, before the first question or later', async () => {
  const { ask, insertAt, create, run, store, application, storedIds, db } = await start();
  const own = await create();
  const days = [30, 25, 20, 15, 10, 5, 0];
  const ids = await insertAt(days);
  async function move(retentionDays: number) {
    await run(own);
    await store.applications.update(application, { retentionDays, retentionArchive: own.id });
    await createExpireEntries({ store, auditRetentionMs: dayMs, log })(never);
    await db.collection('deletions').updateMany({}, { $unset: { holder: '', leaseUntil: '' } });
  }
  const asked = async () => (await ask('select id from entries order by id')).rows.flat();
  await move(22);
  expect(await storedIds()).toEqual(ids.slice(2));
  expect(await asked()).toEqual(ids);
  await move(12);
  // One that comes late moves before it is asked for.
  const [late] = await insertAt([28], true);
  await move(12);
  expect(await storedIds()).toEqual(ids.slice(4));
  await store.deletions.removeArchived(application, [ids[0] as string], {});
  expect(await asked()).toEqual([...ids.slice(1), late].toSorted());
});

const smallStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('late' as const),
      days: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(999) }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('ask' as const) }) },
);
const killStep = fc.record({
  what: fc.constant('kill' as const),
  isMerge: fc.boolean(),
  call: fc.nat(3),
  isAfter: fc.boolean(),
});
const step = fc.oneof(
  { weight: 12, arbitrary: smallStep },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('merge' as const),
      amid: fc.array(smallStep, { maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: killStep },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('age' as const) }) },
);

type Kill = Omit<typeof killStep extends fc.Arbitrary<infer Value> ? Value : never, 'what'>;
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

it('has every entry once in its files, which stay few, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 55 }), async (steps) => {
      const { db, store, application, domain, root, insert, insertAt, storedIds, run, merge, current } =
        await start();
      let isMerging = false;
      const startRun = async () => void (await run(asked, { isMerging }));
      const { segmentsOf } = createSegments({ store, startRun, folder: root, freshMs: 0 });
      const merging = { application, domain, createdAt: new Date() };
      const asked = await store.askedArchives.ask(application);
      // Merges of 64 runs, and behind them of eight, are not far.
      await db.collection('archives').updateOne({}, { $set: { run: 61 } });
      const folder = join(root, '_questions', asked.id);
      const files = (name: string) =>
        existsSync(join(folder, name))
          ? readdirSync(join(folder, name)).map((each) => join(folder, name, each))
          : [];
      /** Some minutes pass. */
      const age = () => {
        for (const path of files('_merged')) utimesSync(path, 0, 0);
      };
      let most = 0;

      /** Kills the worker of the next run, or of a merge. */
      async function kill({ isMerge, call, isAfter }: Kill): Promise<void> {
        const objects = dyingStore(folderStore(root), call, isAfter);
        await (isMerge ? merge(merging, asked, { objects }) : run(asked, { objects })).catch((error) =>
          expect(error.message).toBe('killed'),
        );
      }

      async function ask(): Promise<void> {
        const { asOf, ...files } = await segmentsOf(application, domain, never);
        const ids = await askedIds(files);
        const stored = await storedIds();
        expect(ids).toEqual(stored);
        const newest = stored.at(-1);
        if (newest) expect(Date.parse(asOf as string)).toBeGreaterThanOrEqual(timeOfId(newest).getTime());
      }

      /** Merges, while this happens. */
      async function mergeAmid(steps: Step[]): Promise<void> {
        const whole = folderStore(root);
        const left = [...steps];
        const create: ObjectStore['create'] = async (...given) => {
          const one = left.shift();
          if (one) await take(one);
          return whole.create(...given);
        };
        await merge(merging, asked, { objects: { ...whole, create } });
        await ask();
        most = Math.max(most, (await current(asked)).manifests);
      }

      async function take(one: Step): Promise<void> {
        const ids = await storedIds();
        if (one.what === 'insert') await insert(one.count);
        if (one.what === 'late') await insertAt(one.days, true);
        if (one.what === 'delete' && ids.length > 0)
          await store.deletions.removeOne(application, ids[one.place % ids.length] as string);
        if (one.what === 'kill') await kill(one);
        if (one.what === 'age') age();
        if (one.what === 'ask') await ask();
        if (one.what === 'merge') await mergeAmid(one.amid);
      }

      for (const one of steps) await take(one);
      await ask();
      expect(most).toBeLessThan(24);
      // Some minutes after the next merge.
      isMerging = true;
      do {
        await insert(1);
        await ask();
      } while ((await current(asked)).run % 8 !== 1);
      age();
      await merge(merging, asked);
      await ask();
      const { manifests } = await current(asked);
      expect([...files('_manifests'), ...files('_merged')]).toHaveLength(manifests);
      expect(new Set(files('entries').map((path) => basename(path).split('-')[0])).size).toBeLessThanOrEqual(
        manifests,
      );
    }),
    times(1),
  );
});

/** Eight runs of an entry each, which can be merged. */
async function startUnmerged() {
  const started = await start();
  const { store, application, domain, root, insert, run } = started;
  const asked = await store.askedArchives.ask(application);
  for (let made = 0; made < 8; made++) {
    await insert(1);
    await run(asked, { isMerging: false });
  }
  const merging = { application, domain, createdAt: new Date() };
  return { ...started, asked, merging, whole: folderStore(root) };
}

it('merges again what a killed worker has begun', async () => {
  const started = await startUnmerged();
  const { store, application, asked, merging, whole, storedIds, ask, merge, current } = started;
  // The file, then the manifest.
  for (const kept of [0, 1, 2]) {
    let left = kept;
    const create: ObjectStore['create'] = async (...given) => {
      if (left-- > 0) await whole.create(...given);
      if (left <= 0) throw new Error('killed');
      return true;
    };
    await expect(merge(merging, asked, { objects: { ...whole, create } })).rejects.toThrow('killed');
    expect((await current(asked)).manifests).toBe(8);
    await store.deletions.removeOne(application, (await storedIds())[0] as string);
  }
  await merge(merging, asked);
  expect((await current(asked)).manifests).toBe(1);
  expect((await ask('select id from entries order by id')).rows.flat()).toEqual(await storedIds());
});

it('lets one worker merge, and not one that has lost its lease meanwhile', async () => {
  const { db, asked, merging, whole, storedIds, ask, merge, current } = await startUnmerged();
  const names: string[] = [];
  async function create(...given: Parameters<ObjectStore['create']>): Promise<boolean> {
    names.push(given[0]);
    const isManifest = given[0].includes('/_merged/');
    if (isManifest) {
      await merge(merging, asked);
      expect((await current(asked)).manifests).toBe(8);
      // As if this worker had been silent for a minute.
      await db.collection('archives').updateOne({}, { $set: { 'compaction.leaseUntil': new Date(0) } });
      await merge(merging, asked);
      expect((await current(asked)).manifests).toBe(1);
    }
    return whole.create(...given);
  }
  await expect(merge(merging, asked, { objects: { ...whole, create } })).rejects.toThrow();
  expect(names.length).toBeGreaterThan(1);
  expect((await current(asked)).merges).toBe(1);
  expect((await ask('select id from entries order by id')).rows.flat()).toEqual(await storedIds());
});

it('begins anew where the folder was emptied, or the database restored', async () => {
  const { db, store, application, domain, root, segmentsOf, insert } = await start();
  const ask = () => segmentsOf(application, domain, never);
  await insert(1);
  await ask();
  const before = (await db.collection('archives').findOne()) as object;
  await insert(1);
  await ask();
  // The folder is ahead of the database.
  await db.collection('archives').replaceOne({}, before);
  await db.collection('jobs').deleteMany({});
  await expect(ask()).rejects.toThrow();
  expect((await ask()).files).toHaveLength(1);
  const { id } = await store.askedArchives.ask(application);
  rmSync(join(root, '_questions', id), { recursive: true });
  await insert(1);
  await expect(ask()).rejects.toThrow();
  expect((await ask()).files).toHaveLength(1);
});

it('says what is wrong, and where', async () => {
  const { insert, refusal } = await start();
  await insert(1);
  expect(await refusal('select n\nfrom entries\nwher n = 1')).toEqual({
    message: 'syntax error at or near "n"',
    line: 3,
    column: 6,
  });
  expect(await refusal('select m from entries')).toMatchObject({ line: 1, column: 8 });
  expect(await refusal('select 1; select 2')).toEqual({
    message: 'a question is one SELECT; several were sent',
  });
});

it('answers in other formats, and says where it is cut', async () => {
  const { insert, body } = await start();
  await insert(10);
  const csv = await body(`select n - 1 as n, ' =1+1,"' || n as text from entries order by n limit 1`, {
    format: 'csv',
  });
  expect(Buffer.from(csv.body).toString()).toBe(`n,text\r\n-1,"' =1+1,""0"\r\n`);
  const lines = await body('select n from entries order by n limit 2', { format: 'ndjson' });
  expect(Buffer.from(lines.body).toString()).toBe('{"n":0}\n{"n":1}\n');
  const { body: bytes, truncated } = await body('select range as x from range(10001)', { format: 'parquet' });
  const rows = await rowsOf('answer.parquet', Buffer.from(bytes));
  expect([rows.length, truncated]).toEqual([10_000, true]);
  expect((await body('select * from range(10000)')).truncated).toBe(false);
  expect((await body('select * from range(10001)')).truncated).toBe(true);
});

const secret = 'a secret of the machine';

const hostile = [
  "select * from read_csv('$file')",
  "select * from read_text('$file')",
  "select * from read_blob('$file')",
  "select * from '$file'",
  "select * from glob('/etc/*')",
  "select * from read_parquet('$other')",
  "from sniff_csv('$file')",
  "select * from read_json('http://127.0.0.1:1/')",
  "select * from 'https://example.com/x.parquet'",
  "select * from 's3://bucket/x.parquet'",
  "copy (select 1) to '$file.out'",
  "copy entries from '$file'",
  "attach '$file.db'",
  'install httpfs',
  'load httpfs',
  'set enable_external_access = true',
  'reset enable_external_access',
  'pragma database_list',
  'pragma enable_profiling',
  'call pragma_version()',
  'create table t (i int)',
  'create view v as select 1',
  'drop view entries',
  'insert into entries values (1)',
  'delete from entries',
  'update entries set n = 1',
  'explain analyze select 1',
  'begin',
  'checkpoint',
  'vacuum',
  "export database '$file.d'",
  "import database '$file.d'",
  'use memory',
  'prepare x as select 1',
  'execute x',
  'deallocate x',
  'alter table entries rename to x',
  'create secret s (type s3)',
  'create function f() as 1',
  "create macro f() as table select * from read_text('$file')",
  "select * from query('copy (select 1) to ''$file.out''')",
  "select * from query_table('$file')",
  "select getenv('PATH')",
  "select * from which_secret('s3://x', 's3')",
  "select * from duckdb_secrets() where error('$file')",
  "select 1; copy (select 1) to '$file.out'",
  "select 1 into outfile '$file.out'",
  'with x as (delete from entries returning *) select * from x',
  "select 1) to '$file.out' --",
  "select * from entries limit (select content from read_text('$file'))",
  '\0',
  '',
  ';',
  '-- nothing',
];

it('refuses all but one SELECT over the view, and reads no file', async () => {
  const { insert, reply, root } = await start();
  await insert(1);
  const other = join(root, 'other');
  mkdirSync(other);
  const file = join(other, 'secret.txt');
  writeFileSync(file, secret);
  for (const sql of hostile) {
    const found = await reply(sql.replaceAll('$file', file).replaceAll('$other', `${other}/*.parquet`));
    const text = 'answer' in found ? Buffer.from(found.answer.body).toString() : found.refusal.message;
    expect({ sql, refused: 'refusal' in found, hasReason: text.length > 10 }).toEqual({
      sql,
      refused: true,
      hasReason: true,
    });
    expect(text).not.toContain(secret);
  }
  expect(readdirSync(other)).toEqual(['secret.txt']);
  expect(readFileSync(file, 'utf8')).toBe(secret);
});

const endless = [
  "select repeat('x', 1000000000)",
  "select length(repeat(repeat('x', 100000000), 9))",
  'select count(*) from range(10000000000) a, range(1000000) b',
  'with recursive r as (select 1 i union all select i + 1 from r) select count(*) from r',
  "select string_agg(a.range::varchar, ',') from range(100000) a, range(100000) b",
  'select list(a) from range(1000000000) t(a)',
];

it('ends what takes too long or too much memory, and answers the next', async () => {
  const { insert, segmentsOf, application, domain, processesOf } = await start();
  await insert(1);
  const segments = await segmentsOf(application, domain, never);
  const { ask } = processesOf(3_000);
  for (const sql of endless) {
    const asked = { ...segments, sql, params: [], format: 'json' as const };
    const found = await ask('question', asked, never);
    expect('refusal' in found && found.refusal.message).toMatch(/memory|too large|longer than/i);
  }
  const next = await ask(
    'question',
    { ...segments, sql: 'select count(*) from entries', params: [], format: 'json' },
    never,
  );
  expect('answer' in next && Buffer.from(next.answer.body).toString()).toContain('[[1]]');
});
