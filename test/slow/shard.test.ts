import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { admin, adminProcess } from '../support/admin-command.ts';
import { doctor } from '../support/doctor.ts';
import { exportableApplication, fill, sha256 } from '../support/export-client.ts';
import { mayScatter } from '../support/mongos/scattered.ts';
import { startMongos } from '../support/mongos/start-mongos.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { type Sluice, startSluice, until, untilTaken } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

/**
 * Together more than MongoDB moves at once. `FULL=1 npm run test:slow -- test/slow/shard.test.ts` takes some minutes.
 * Without it, entries are small, and their milestones say that they have `weight` times their bytes.
 */
const isFull = process.env.FULL !== undefined;
const [count, length, weight] = isFull ? [1_000_000, 150, 1] : [16_000, 100, 300];
const milestones = Math.floor(count / 2_500);

/** Of a body of any size. */
async function hashOf(url: string, token: string): Promise<string> {
  const { status, body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200 || !body) throw new Error(`the export got ${status}`);
  const hash = createHash('sha256');
  await pipeline(body, hash);
  return hash.digest('hex');
}

/** What a client sees of an application: its export, and totals and pages of several periods. */
async function seen({ url, request }: Sluice, token: string, domain: string) {
  const read = async (query: string) =>
    (await request('GET', `/applications/${domain}/data?${query}`, { token })).body.data;
  const timeAt = async (start: number): Promise<string> =>
    (await read(`start=${start}&limit=1`)).result[0].createdAt;
  const [to, from] = [await timeAt(count / 4), await timeAt((3 * count) / 4)];
  const queries = [
    'start=0',
    `start=${count / 2}&limit=1000`,
    `start=${count - 10}`,
    'order=oldest&limit=1000',
    `from=${from}&to=${to}`,
    `from=${from}&start=1000`,
    `to=${to}&start=${count / 8}`,
    `filter=${encodeURIComponent('{"n":{"lt":1000}}')}&limit=10`,
  ];
  const pages: [query: string, total: number, hash: string][] = [];
  for (const query of queries) {
    const { result, pagination } = await read(query);
    pages.push([query, pagination.total, sha256(JSON.stringify(result))]);
  }
  const exported = await hashOf(`${url}/api/applications/${domain}/export?format=ndjson&meta=id`, token);
  return { exported, pages };
}

/** Uploads with keys until it is told to stop, each third one twice; returns the numbers of those that got 201. */
function keepUploading(sluice: Sluice, token: string, domain: string) {
  const stored: number[] = [];
  let isOver = false;
  const client = uploadClient(sluice, token);
  async function upload(n: number): Promise<void> {
    for (let times = n % 3 === 0 ? 2 : 1; times > 0; times--) {
      const send = () => client.upload(domain, JSON.stringify({ n, text: '' }), `key-${n}`);
      if ((await untilTaken(send)).status !== 201) return;
    }
    stored.push(n);
    // The command that shards needs the processors.
    await pause(5);
  }
  const done = (async () => {
    for (let n = 0; !isOver; n++) await upload(n);
  })();
  return {
    stored,
    async stop() {
      isOver = true;
      await done;
    },
  };
}

const linesOf = (stdout: string) => stdout.trimEnd().split('\n');

it(`a database with ${count.toLocaleString('en')} entries is for its clients what it was when it is sharded under load`, async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const store = openStore(MONGODB_URL);
  const direct = await startSluice({ env: { MONGODB_URL } });
  const { token } = await direct.owner();
  const { domain, id } = await exportableApplication(direct, store, token);
  const busy = await direct.application(token);
  for (let n = 0; n < 5; n++) await direct.application(token);
  await fill(store, id, count, length);
  await until(async () => (await db.collection('milestones').countDocuments()) >= milestones, 300_000);
  const before = await seen(direct, token, domain);
  expect(before.pages[0]?.[1]).toBe(count);
  await direct.stop();
  await db.collection('milestones').updateMany({}, [{ $set: { bytes: { $multiply: ['$bytes', weight] } } }]);

  const mongos = await startMongos({ url: MONGODB_URL, mayScatter });
  onTestFinished(mongos.stop);
  const env = { ...direct.env, MONGODB_URL: mongos.url };
  const sluice = await startSluice({ env });
  onTestFinished(sluice.stop);
  const uploads = keepUploading(sluice, token, busy);
  await until(async () => uploads.stored.length >= 20);
  const first = await adminProcess(env, ['shard', '--split', domain]);
  const during = uploads.stored.length;
  await until(async () => uploads.stored.length >= during + 20);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const lines = linesOf(first.stdout);
  expect(lines).toContain('done  entries is sharded by {"_id":1}');
  expect(lines.at(-2)).toBe('done  entries: 7 of 7 applications have a range of their own (7 new)');
  expect(lines.at(-1)).toMatch(/^done {2}entries: cuts within \S+: ([1-9]\d*) \(\1 new\)$/);

  expect(await seen(sluice, token, domain)).toEqual(before);
  await uploads.stop();
  const found = (await uploadClient(sluice, token).payloads(busy)).map(({ n }) => n);
  expect(found.toSorted((a, b) => a - b)).toEqual(uploads.stored);
  expect(await uploadClient(sluice, token).count(busy)).toBe(uploads.stored.length);

  const second = await admin(env, ['shard', '--split', domain]);
  expect(linesOf(second.stdout).filter((line) => !line.startsWith('ok  '))).toEqual([]);
  const { found: diagnosis } = await doctor(env);
  for (const check of ['cluster', 'sharded collections', 'balancer', 'indexes'])
    expect([check, diagnosis[check]]).toEqual([check, expect.objectContaining({ level: 'ok' })]);
}, 1_800_000);
