import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Db, MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { startReplicaSet } from '../support/replica-set.ts';
import { type Answer, call, ownStores, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

const uploads = Number(process.env.UPLOADS ?? 6_000);
/** More than MongoDB gets in one command, so that a batch can be stored in part. */
const batchLines = 600;
const senders = 4;
/** How often an API or MongoDB's primary is killed: often enough that each of four turns comes. */
const kills = 4 * Math.ceil(uploads / 12_000);

const schema = { type: 'object', properties: { event_id: { type: 'string' } }, required: ['event_id'] };
const ids = Array.from({ length: uploads }, (_, n) => `event-${n}`);

function* batches() {
  for (let from = 0; from < uploads; from += batchLines) {
    const some = ids.slice(from, from + batchLines);
    yield gzipSync(ndjson(some.map((event_id) => ({ event_id, host: 'till-7', message: `of ${event_id}` }))));
  }
}
const batchCount = Math.ceil(uploads / batchLines);

const sum = (numbers: bigint[]) =>
  BigInt.asUintN(
    64,
    numbers.reduce((all, one) => all + one, 0n),
  );
const proofOf = (id: string) => createHash('sha256').update(id).digest().readBigUInt64BE();

type Kill = () => Promise<void>;

/** Two APIs on a replica set, each of which can be killed and started again. */
async function start() {
  const set = await startReplicaSet();
  const MONGODB_URL = set.urlOf('unique');
  const client = new MongoClient(MONGODB_URL, { readConcern: { level: 'majority' } });
  onTestFinished(() => client.close());
  const env = { ...ownStores(), MONGODB_URL, MONGODB_TIMEOUT: '10s' };
  const apis = [await createApiProcess(env), await createApiProcess(env)] as const;
  await Promise.all(apis.map((api) => api.start()));
  const [one, other] = apis.map((api) => async () => {
    api.kill();
    await api.gone();
    await api.start();
  }) as [Kill, Kill];
  return { db: client.db(), apis, turns: [one, set.killPrimary, other, set.killPrimary] };
}

/** Kills one after the other, also while another starts again. */
function createKiller(turns: Kill[]) {
  const restarts = new Map<Kill, Promise<void>>();
  let killed = 0;
  return {
    killed: () => killed,
    /** Resolves when the next one was there to be killed. */
    async killNext(): Promise<void> {
      const kill = turns[killed++ % turns.length] as Kill;
      const before = restarts.get(kill) ?? Promise.resolve();
      restarts.set(kill, before.then(kill));
      await before;
    },
    /** Resolves when all are there again. */
    done: () => Promise.all(restarts.values()),
  };
}

/** How often an id is stored, where it is not once. */
async function notOnce(db: Db): Promise<Record<string, number>> {
  const counts = new Map(ids.map((id) => [id, 0]));
  for await (const { payload } of db.collection('entries').find())
    counts.set(payload.event_id, (counts.get(payload.event_id) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count !== 1));
}

it(
  'a client that repeats whole batches without a key has each value stored once, while APIs and MongoDB are killed',
  async () => {
    const { db, apis, turns } = await start();
    const killer = createKiller(turns);
    const token = await apis[0].owner();
    async function ask(
      method: string,
      path: string,
      json?: object,
      headers?: Record<string, string>,
    ): Promise<Answer['body']> {
      const by = headers ? { headers } : { token };
      const { status, text, body } = await call(apis[0].url, method, `/api/applications${path}`, {
        ...by,
        json,
      });
      expect({ status, text }).toMatchObject({ status: 200 });
      return body.data;
    }
    const application = { name: 'Test', type: 'other', schema, unique: { path: '/event_id' } };
    const { domain } = await ask('POST', '', application);
    const key = await ask('POST', `/${domain}/keys`, { name: 'till-7' });
    const withKey = { 'x-api-key': key.key };

    const answers: Record<string, number> = { 201: 0, 503: 0, broken: 0 };
    let repeated = 0;
    let attempts = 0;
    /** As Vector decides, which does not look into the answer. */
    async function isTaken(body: Uint8Array<ArrayBuffer>): Promise<boolean> {
      const { url } = apis[attempts++ % 2] as (typeof apis)[0];
      const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip', ...withKey };
      const path = `/api/applications/${domain}/data/batch`;
      const answer = await call(url, 'POST', path, { body, headers }).catch(() => undefined);
      const status = answer?.status ?? 'broken';
      answers[status] = (answers[status] ?? 0) + 1;
      repeated += answer?.body?.data?.repeated ?? 0;
      return status === 201 || status === 207;
    }

    const open = batches();
    let taken = 0;
    async function send(): Promise<void> {
      for (const body of open) {
        await until(() => isTaken(body), Number.POSITIVE_INFINITY);
        taken += 1;
        // The others' batches are under way.
        if (killer.killed() < (taken / batchCount) * kills) await killer.killNext();
      }
    }
    await Promise.all(Array.from({ length: senders }, send));
    await killer.done();

    if (process.env.SEE)
      console.log({ uploads, batches: batchCount, attempts, answers, repeated, kills: killer.killed() });
    expect(await notOnce(db)).toEqual({});
    const [rows, ofKeys, hours] = [
      await ask('GET', `/${domain}/stats?step=hour`),
      await ask('GET', `/${domain}/stats?step=hour&by=key`),
      await ask('GET', `/${domain}/stats?step=hour&hash=true`),
    ];
    const counted = (of: { accepted: number }[]) => of.reduce((all, { accepted }) => all + accepted, 0);
    expect([counted(rows), counted(ofKeys), counted(hours)]).toEqual([uploads, uploads, uploads]);
    expect(new Set(ofKeys.map((row: { key: string }) => row.key))).toEqual(new Set([key.id]));
    expect(sum(hours.map(({ hash }: { hash: string }) => BigInt(`0x${hash}`)))).toBe(sum(ids.map(proofOf)));
    for (let from = 0; from < uploads; from += 10_000) {
      const values = ids.slice(from, from + 10_000);
      expect(await ask('POST', `/${domain}/data/missing`, { values }, withKey)).toEqual({ missing: [] });
    }
    expect(answers).toEqual({ 201: batchCount, 503: expect.any(Number), broken: expect.any(Number) });
  },
  180_000 + uploads * 10,
);
