import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { idOfKey } from '@sluice/store/entries/entry-id.ts';
import { range } from '@sluice/store/entries/entry-range.ts';
import { expect, it, onTestFinished } from 'vitest';
import { ownFolder } from '../support/archive-runs.ts';
import { manifestsIn } from '../support/lake.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { awayName, calmName } from '../support/rough-archives.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** The proof by another program, at any size: ENTRIES=2000000 KILL_MS=20000. */
const count = Number(process.env.ENTRIES ?? 20_000);
const killMs = Number(process.env.KILL_MS ?? 2_500);
const fileBytes = Number(process.env.FILE_BYTES ?? Math.max(100_000, count * 5));
/** Of these the store is away in two. */
const leastRounds = 6;
const perCall = Math.min(2_000, count / 20);
const dayMs = 86_400_000;

type DuckDb = typeof import('../../services/admin/node_modules/@duckdb/node-api/lib/index.d.ts');
/** Of the administration, which compacts files with it. */
const duckDb: DuckDb = createRequire(join(import.meta.dirname, '../../services/admin/package.json'))(
  '@duckdb/node-api',
);

const schemaOf = (version: number) => ({
  type: 'object',
  properties: {
    n: { type: 'integer' },
    text: { type: 'string' },
    ...(version > 1 && { second: { type: 'integer' } }),
    ...(version > 2 && { third: { type: 'object', properties: { deep: { type: 'number' } } } }),
  },
});
const payloadOf = (n: number, version: number) => ({
  n,
  text: `entry ${n}`,
  group: n % 20,
  ...(version > 1 && { second: n }),
  ...(version > 2 && { third: { deep: n / 2 } }),
});

/** What a user of DuckDB finds: the ids without deleted ones, and those that are there twice. */
async function lakeOf(folder: string) {
  const manifests = manifestsIn(folder);
  const list = (names: string[]) => `[${names.map((name) => `'${join(folder, name)}'`).join(', ')}]`;
  const files = list(manifests.flatMap((each) => each.files.map(({ name }) => name)));
  const lists = manifests.flatMap(({ deleted }) => deleted?.name ?? []);
  const connection = await (await duckDb.DuckDBInstance.create()).connect();
  const rows = `read_parquet(${files}, union_by_name = true)`;
  const gone = lists.length > 0 ? `WHERE id NOT IN (SELECT id FROM read_parquet(${list(lists)}))` : '';
  const hash = createHash('sha256');
  let found = 0;
  for await (const chunk of await connection.stream(`SELECT id FROM ${rows} ${gone} ORDER BY id`))
    for (const [id] of chunk.getRows()) {
      hash.update(String(id));
      found += 1;
    }
  const [[twice]] = (
    await connection.runAndReadAll(`SELECT count(*) - count(DISTINCT id) FROM ${rows}`)
  ).getRows() as [[bigint]];
  const versions = await connection.runAndReadAll(
    `SELECT schema_version, count(*), sum(n), sum(second), sum("third.deep") FROM ${rows} ${gone} GROUP BY 1 ORDER BY 1`,
  );
  connection.closeSync();
  return { count: found, hash: hash.digest('hex'), twice: Number(twice), versions: versions.getRowsJson() };
}

it(`DuckDB finds what the server has, of ${count} entries of three versions amid imports, deletions and kills`, async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const store = openStore(MONGODB_URL);
  const root = ownFolder();
  const off = { ENTRY_QUOTA: 'off', JOB_QUOTA: '100000', IMPORT_QUOTA: '100000', BYTE_QUOTA: 'off' };
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ...off } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const rough = { ROUGH_FOLDER: root, ROUGH_FILES: String(fileBytes), ROUGH_FAULTS: '0.05' };
  const workers = [0, 1].map(() => createWorkerProcess('export-worker', { ...sluice.env, ...rough }));
  const ingest = createWorkerProcess('ingest-worker', sluice.env);
  await Promise.all([...workers, ingest].map((worker) => worker.start()));

  const domain = await sluice.application(token, schemaOf(1));
  const { id: application } = (await store.applications.byDomain(domain)) as { id: string };
  const archive = (await store.archives.create(
    application,
    {
      to: { kind: 'folder' },
      format: 'parquet',
      every: '1d',
      from: 'beginning',
      covers: { announced: 0 },
      createdBy: 'b',
    },
    3,
  )) as ArchiveRecord;

  const post = (at: string, texts: unknown[]) =>
    sluice.request('POST', `/applications/${domain}${at}`, {
      token,
      body: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson' },
    });
  const jobs: string[] = [];
  let made = 0;
  let version = 1;

  async function uploadAll(): Promise<void> {
    let calls = 0;
    while (made < count) {
      if (made >= (version * count) / 3) {
        version += 1;
        const json = { schema: schemaOf(version) };
        const { status, text } = await sluice.request('POST', `/applications/${domain}/schemas`, {
          token,
          json,
        });
        expect(status, text).toBe(200);
      }
      const payloads = Array.from({ length: Math.min(perCall, count - made) }, () =>
        payloadOf(made++, version),
      );
      calls += 1;
      if (calls % 5 > 0) expect((await post('/data/batch', payloads)).status).toBe(201);
      else {
        const since = Date.now() - 3 * dayMs;
        const lines = payloads.map((payload, n) => ({
          id: '0'.repeat(28),
          createdAt: new Date(since + (n / perCall) * 2 * dayMs).toISOString(),
          payload,
        }));
        const { status, body } = await post('/imports?entries=wrapped', lines);
        expect(status).toBe(202);
        jobs.push(`/imports/${body.data.id}`);
      }
      if (made === count || (calls % 10 === 0 && calls <= 40)) {
        const json = { filter: { group: 7 } };
        const { status, body } = await sluice.request('POST', `/applications/${domain}/deletions`, {
          token,
          json,
        });
        expect(status).toBe(202);
        jobs.push(`/deletions/${body.data.id}`);
      }
    }
  }

  const hurry = () => store.archives.hurry(application, archive.id);
  const current = async () => (await store.archives.get(application, archive.id)) as ArchiveRecord;
  let enough = false;
  let kills = 0;
  async function disturb(): Promise<void> {
    for (let round = 0; !enough || round < leastRounds; round++) {
      await hurry();
      await pause(killMs * (0.5 + Math.random()));
      const worker = workers[round % 2];
      worker?.kill();
      kills += 1;
      await worker?.gone();
      if (round === 1 || round === 3) writeFileSync(join(root, awayName), '');
      await worker?.start();
      rmSync(join(root, awayName), { force: true });
    }
  }

  /** Some go on all the time. */
  async function trickle(): Promise<void> {
    while (!enough) {
      await pause(200);
      const payloads = Array.from({ length: 20 }, () => payloadOf(made++, version));
      expect((await post('/data/batch', payloads)).status).toBe(201);
    }
  }

  const disturbing = Promise.all([disturb(), trickle()]);
  await uploadAll();
  const look = async (at: string) =>
    (await sluice.request('GET', `/applications/${domain}${at}`, { token })).body.data.state;
  for (const job of jobs) await until(async () => (await look(job)) === 'completed', 600_000);
  await pause(6 * killMs);
  enough = true;
  await disturbing;
  writeFileSync(join(root, calmName), '');
  const { announced } = await store.rawEntries.cut(application);
  await until(async () => {
    await hurry();
    return (await current()).covers.announced > announced;
  }, 600_000);

  const hash = createHash('sha256');
  let stored = 0;
  const entries = db.collection<EntryDocument>('entries').find(range(application, {})).sort({ _id: 1 });
  for await (const { _id } of entries.project<EntryDocument>({ _id: 1 })) {
    hash.update(idOfKey(_id));
    stored += 1;
  }
  const sums = await db
    .collection('entries')
    .aggregate([
      { $match: range(application, {}) },
      {
        $group: {
          _id: { $ifNull: ['$version', 1] },
          count: { $sum: 1 },
          n: { $sum: '$payload.n' },
          second: { $sum: '$payload.second' },
          deep: { $sum: '$payload.third.deep' },
        },
      },
      { $sort: { _id: 1 } },
    ])
    .toArray();
  const lake = await lakeOf(join(root, 'parquet', domain));
  expect({ ...lake, versions: undefined }).toEqual({
    count: stored,
    hash: hash.digest('hex'),
    twice: 0,
    versions: undefined,
  });
  expect(lake.versions.map((row) => row.map(Number))).toEqual(
    sums.map(({ _id, count, n, second, deep }) => [_id, count, n, second, deep]),
  );
  const record = await current();
  const failed = workers.flatMap(({ lines }) => lines).filter(({ event }) => event === 'archive.failed');
  console.log(
    `${made} made, ${stored} stored, ${kills} kills, ${failed.length} failures, ${record.run - 1} runs, ${manifestsIn(join(root, 'parquet', domain)).flatMap(({ files }) => files).length} files`,
  );
}, 7_200_000);
