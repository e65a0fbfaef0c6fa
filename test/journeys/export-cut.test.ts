import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createConnections } from '../support/connections.ts';
import { exportableApplication, exportClient, numbersIn } from '../support/export-client.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';

/** How often an export is begun amid uploads. */
const exports = Number(process.env.EXPORTS ?? 12);
const connectionsEach = 16;
/** How far the clock of a replica is behind: less than the 2 s that are allowed for. */
const behindMs = 1_500;

/** Two replicas with one export worker, and an application without entries. */
async function start() {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const one = await startSluice({ env: { MONGODB_URL } });
  onTestFinished(one.stop);
  const other = await startSluice({ workers: false, env: one.env });
  onTestFinished(other.stop);
  const { token } = await one.owner();
  const application = await exportableApplication(one, openStore(MONGODB_URL), token);
  return { db, one, other, token, application, entries: db.collection<EntryDocument>('entries') };
}

/** A replica of which only what it writes is seen, with a clock of its own. */
async function createReplicaBehind({ entries, application }: Awaited<ReturnType<typeof start>>) {
  const newKey = createKeysAt();
  const id = Buffer.from(application.id, 'hex');
  return (n: number, behind = behindMs) =>
    entries.insertOne(
      { _id: newKey(id, Date.now() - behind), payload: { n, text: 'late' } },
      { writeConcern: { w: 'majority', journal: true } },
    );
}

/** What is wrong with a file: it lacks what it must have, or has what it must not. */
function faults(csv: string, { must, from }: { must: Set<number>; from: number }) {
  const has = numbersIn(csv);
  const seen = new Set(has);
  return {
    lacks: [...must].filter((n) => !seen.has(n)).slice(0, 10),
    tooLate: has.filter((n) => n >= from).slice(0, 10),
    twice: has.length - seen.size,
  };
}

const none = { lacks: [], tooLate: [], twice: 0 };

it(
  'an export begun amid uploads has all that were acknowledged before it was asked for, and none begun after its answer',
  async () => {
    const setting = await start();
    const { one, other, token, application } = setting;
    const behind = await createReplicaBehind(setting);
    const acknowledged = new Set<number>();
    let begun = 0;
    let enough = false;

    async function upload(send: (n: number) => Promise<{ status: number } | { acknowledged: boolean }>) {
      const n = begun++;
      const answer = await send(n);
      if ('status' in answer) expect(answer.status).toBe(201);
      acknowledged.add(n);
      return enough ? ('enough' as const) : ('more' as const);
    }

    const uploading = [one, other].map(({ url }) => {
      const connections = createConnections(url, connectionsEach);
      onTestFinished(connections.close);
      const path = `/api/applications/${application.domain}/data`;
      const send = (n: number) => connections.post(path, JSON.stringify({ n, text: 'x'.repeat(n % 50) }));
      return connections.keepBusy(() => upload(send));
    });
    uploading.push(
      (async () => {
        while ((await upload(behind)) === 'more');
      })(),
    );

    const asked: { id: string; client: ReturnType<typeof exportClient>; must: Set<number>; from: number }[] =
      [];
    for (let i = 0; i < exports; i++) {
      // A few hundred entries more each time.
      const before = acknowledged.size;
      await until(async () => acknowledged.size > before + 200);
      const client = exportClient((i % 2 === 0 ? one : other).url, token);
      const must = new Set(acknowledged);
      const id = await client.create(application.domain);
      asked.push({ id, client, must, from: begun });
    }
    const asLast = begun;
    await until(async () => acknowledged.size > asLast);
    enough = true;
    await Promise.all(uploading);

    for (const { id, client, ...expected } of asked) {
      expect((await client.over(application.domain, id)).state).toBe('completed');
      expect(faults(await client.file(application.domain, id), expected)).toEqual(none);
    }
  },
  60_000 + exports * 10_000,
);

it('an export leaves out what a replica behind its time stores later, though it lies below what is in the file', async () => {
  const setting = await start();
  const { db, one, token, application, entries } = setting;
  const behind = await createReplicaBehind(setting);
  const client = exportClient(one.url, token);
  const path = `/api/applications/${application.domain}/data`;
  const upload = async (n: number) => {
    const { status } = await one.request('POST', path.slice('/api'.length), { json: { n, text: 'x' } });
    expect(status).toBe(201);
  };
  for (let n = 0; n < 10; n++) await (n % 2 === 0 ? upload(n) : behind(n));
  const must = new Set(Array.from({ length: 10 }, (_, n) => n));
  const id = await client.create(application.domain);
  for (let n = 10; n < 20; n++) await behind(n);
  // One that had stored nothing before.
  const stranger = await createReplicaBehind(setting);
  for (let n = 20; n < 30; n++) await stranger(n);
  expect((await client.over(application.domain, id)).state).toBe('completed');
  expect(faults(await client.file(application.domain, id), { must, from: 10 })).toEqual(none);
  // They would be in it by their places alone.
  const newest = await entries.find({ 'payload.n': 8 }).next();
  const below = await db
    .collection<EntryDocument>('entries')
    .countDocuments({ _id: { $lt: newest?._id }, 'payload.n': { $gte: 10 } } as object);
  expect(below).toBeGreaterThan(0);
});

it('an export begun after such uploads has them', async () => {
  const setting = await start();
  const behind = await createReplicaBehind(setting);
  const { one, token, application } = setting;
  const client = exportClient(one.url, token);
  for (let n = 0; n < 20; n++) await behind(n, n % 3 === 0 ? behindMs : 0);
  const id = await client.create(application.domain);
  expect((await client.over(application.domain, id)).state).toBe('completed');
  const must = new Set(Array.from({ length: 20 }, (_, n) => n));
  expect(faults(await client.file(application.domain, id), { must, from: 20 })).toEqual(none);
});
