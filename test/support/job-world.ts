import { expect, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from './own-database.ts';
import { type Answer, startSluice, until } from './sluice.ts';
import type { LogLine } from './worker-process.ts';

const numbered = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

export type Told = Answer['body'];
export type World = Awaited<ReturnType<typeof jobWorld>>;

/** A job, and what is known of it besides what it tells. */
export interface StartedJob {
  id: string;
  path: string;
  /** What the job has to tell: counted in what is stored. */
  stored(told: Told): Promise<object>;
  /** Of a cancelled job whose workers all lived. */
  calm?(told: Told): Promise<void>;
  /** Everything is done, each piece once. `lines`: the logs of its workers, of which so many were killed. */
  expectDone(told: Told, lines: LogLine[], kills: number): Promise<void>;
}

export type StartJob = (world: World, count: number) => Promise<StartedJob>;

/** An API without workers, whose owner starts jobs. Call in a test. */
export async function jobWorld(env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ENTRY_QUOTA: 'off', ...env } });
  onTestFinished(() => sluice.stop());
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();

  /** The chunks that were done, with their lines where they changed. MongoDB tells it, since chunks are removed when their job is over. */
  const doneChunks = new Map<string, number | undefined>();
  const changes = db.collection('chunks').watch();
  changes.on('change', (change) => {
    if (change.operationType !== 'update') return;
    const { state, lines } = change.updateDescription.updatedFields ?? {};
    if (state === 'done') doneChunks.set(String(change.documentKey._id), lines);
  });
  onTestFinished(() => changes.close());

  async function application() {
    const domain = await sluice.application(token, numbered);
    const { id } = (await store.applications.byDomain(domain)) as { id: string };
    return { domain, id, path: `/applications/${domain}` };
  }

  async function post(path: string, json: object): Promise<string> {
    const { status, body, text } = await sluice.request('POST', path, { token, json });
    expect([status, text]).toEqual([202, expect.anything()]);
    return body.data.id;
  }

  const look = async (path: string): Promise<Told> =>
    (await sluice.request('GET', path, { token })).body.data;

  async function ended({ path }: Pick<StartedJob, 'path'>, withinMs?: number): Promise<Told> {
    await until(async () => isOver(await look(path)), withinMs);
    return look(path);
  }

  /** The numbers of the payloads, in the order of their ids. */
  async function storedNumbers(): Promise<number[]> {
    const found: number[] = [];
    for await (const { payload } of db.collection('entries').find().sort({ _id: 1 })) found.push(payload.n);
    return found;
  }

  return { db, sluice, store, token, doneChunks, application, post, look, ended, storedNumbers };
}

export const isOver = ({ state }: Told) => state !== 'waiting' && state !== 'active';
