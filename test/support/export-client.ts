import { createHash, randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import { createJobQueue } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { fromKey } from '@sluice/store/entries/entry-id.ts';
import { type Db, ObjectId } from 'mongodb';
import { expect, onTestFinished } from 'vitest';
import { payloadOf } from './payload-of.ts';
import { type Answer, call, type SharedSluice, until } from './sluice.ts';

export const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** A text of that length which no other entry has. Compressed it is a tenth. */
const textOf = (n: number, length: number) =>
  `entry ${n} ${randomBytes(Math.ceil(length / 10)).toString('hex')} `.padEnd(length, '.');

/** Stores entries numbered from 0, oldest first, past the API. */
export async function fill(
  { entries }: Pick<Store, 'entries'>,
  application: string,
  count: number,
  length = 10,
): Promise<void> {
  for (let first = 0; first < count; first += 2_000) {
    const batch = Array.from({ length: Math.min(2_000, count - first) }, (_, i) => ({
      application,
      ...payloadOf({ n: first + i, text: textOf(first + i, length) }),
    }));
    await entries.insert(batch);
  }
}

/** The CSV of all entries of a database that `fill` has filled, made from its documents. */
export async function expectedCsv(db: Db): Promise<string> {
  const rows = ['createdAt,n,text'];
  for await (const { _id, payload } of db.collection<EntryDocument>('entries').find().sort({ _id: 1 })) {
    rows.push(`${fromKey(_id).createdAt.toISOString()},${payload.n},${payload.text}`);
  }
  return `${rows.join('\r\n')}\r\n`;
}

/** Where two texts differ first, as lines; undefined when they are equal. Shorter to read than a diff of megabytes. */
export function firstDifference(one: string, other: string) {
  if (one === other) return undefined;
  const [mine, others] = [one.split('\r\n'), other.split('\r\n')];
  const line = mine.findIndex((text, place) => text !== others[place]);
  return { line, lines: [mine.length, others.length], one: mine[line], other: others[line] };
}

/** The numbers of the entries in a CSV that `fill` is the source of, in its order. */
export function numbersIn(csv: string): number[] {
  const lines = csv.split('\r\n').slice(1, -1);
  return lines.map((line) => Number(line.split(',', 2)[1]));
}

/** The bytes of a file as its record says that they are stored. */
export async function fileOf({ jobs, parts }: Pick<Store, 'jobs' | 'parts'>, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const part of await jobs.partsOf(id))
    pieces.push(zstdDecompressSync((await parts.get(part.id)) as Buffer));
  return Buffer.concat(pieces);
}

/** Ids of the parts in the store that belong to a job, whether its record has them or not. */
export async function storedParts(db: Db, job: string): Promise<string[]> {
  const found = await db
    .collection('parts')
    .find({ job: new ObjectId(job) })
    .project({ _id: 1 })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id }) => _id.toHexString());
}

/** Those that the record of a job has, sorted as `storedParts` are. */
export async function recordedParts({ jobs }: Pick<Store, 'jobs'>, job: string): Promise<string[]> {
  return (await jobs.partsOf(job)).map(({ id }) => id).sort();
}

/** Resolves when the store has those parts alone that the record of a job has: others are removed behind its end. */
export async function expectSwept(db: Db, store: Pick<Store, 'jobs'>, job: string): Promise<void> {
  const recorded = await recordedParts(store, job);
  await expect.poll(() => storedParts(db, job), { timeout: 60_000 }).toEqual(recorded);
}

/** Exports of one owner, as clients of the API see them. */
export function exportClient(url: string, token: string) {
  const request = (method: string, path: string, json?: unknown) =>
    call(url, method, `/api/applications/${path}`, {
      token,
      json,
      headers: { 'accept-encoding': 'identity' },
    });
  const job = async (domain: string, id: string) =>
    (await request('GET', `${domain}/exports/${id}`)).body?.data;

  return {
    /** Returns the id of the job. */
    async create(domain: string, options: object = {}): Promise<string> {
      const { status, text, body } = await request('POST', `${domain}/exports`, options);
      if (status !== 202) throw new Error(text);
      return body.data.id;
    },
    job,
    /** Newest first. */
    list: async (domain: string) => (await request('GET', `${domain}/exports`)).body.data,
    file: async (domain: string, id: string) => (await request('GET', `${domain}/exports/${id}/file`)).text,
    remove: (domain: string, id: string) => request('DELETE', `${domain}/exports/${id}`),
    /** The job once it is over. */
    async over(domain: string, id: string, withinMs?: number) {
      let found: Answer['body'];
      await until(async () => {
        found = await job(domain, id);
        // There is none in an answer that says that MongoDB is away.
        return found !== undefined && !['waiting', 'active'].includes(found.state);
      }, withinMs);
      return found;
    },
  };
}

/** An application that takes what `fill` stores; returns its domain and its id. */
export async function exportableApplication(sluice: SharedSluice, store: Store, token: string) {
  const schema = { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } };
  const domain = await sluice.application(token, schema);
  const found = await store.applications.byDomain(domain);
  return { domain, id: found?.id as string, owner: found?.owner.id as string };
}

/** The record of an export that no queue knows of. */
export async function recordExport(
  { jobs, rawEntries }: Pick<Store, 'jobs' | 'rawEntries'>,
  { id: application, owner, domain }: { id: string; owner: string; domain: string },
  { transient = false }: { transient?: boolean } = {},
): Promise<ExportJob> {
  return jobs.exports.create({
    application,
    owner,
    domain,
    options: { format: 'csv', formulas: 'escape', arrays: 'json' },
    cut: (await rawEntries.cut(application)).until,
    version: 1,
    leafCount: 0,
    transient,
  });
}

/** Queues a job in these stores. Call in a test. */
export async function deliver(env: Record<string, string>, store: Store, job: ExportJob): Promise<void> {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = env as { REDIS_URL: string; REDIS_PREFIX: string };
  const config = { url, prefix, timeoutMs: 30_000 };
  const log = createLogger('test', { level: 'silent', pretty: false });
  const redis = connectRedis(config, log, 'patient');
  onTestFinished(() => redis.disconnect());
  await until(async () => redis.status === 'ready');
  await createJobQueue(exportsQueue, store.jobs, redis, config, log).enqueue(job);
}
