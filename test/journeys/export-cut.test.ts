import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createConnections } from '../support/connections.ts';
import { exportableApplication, exportClient, numbersIn } from '../support/export-client.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';

/** How often an export is begun amid uploads. */
const exports = Number(process.env.EXPORTS ?? 12);
const connectionsEach = 16;
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
  return { one, other, token, application, entries: db.collection<EntryDocument>('entries') };
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
    const { one, other, token, application } = await start();
    const acknowledged = new Set<number>();
    let begun = 0;
    let enough = false;

    async function upload(send: (n: number) => Promise<{ status: number }>) {
      const n = begun++;
      expect((await send(n)).status).toBe(201);
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

it('an export leaves out what a replica stores later whose clock is behind', async () => {
  const { one, other, token, application } = await start();
  const client = exportClient(one.url, token);
  const upload = async (sluice: typeof one, n: number) => {
    const path = `/applications/${application.domain}/data`;
    expect((await sluice.request('POST', path, { json: { n, text: 'x' } })).status).toBe(201);
  };
  for (let n = 0; n < 10; n++) await upload(n % 2 === 0 ? one : other, n);
  const must = new Set(Array.from({ length: 10 }, (_, n) => n));
  const id = await client.create(application.domain);
  vi.useFakeTimers({ now: Date.now() - behindMs, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 10; n < 20; n++) await upload(other, n);
  // One that had stored nothing before.
  const stranger = await startSluice({ workers: false, env: one.env });
  onTestFinished(stranger.stop);
  for (let n = 20; n < 30; n++) await upload(stranger, n);
  vi.useRealTimers();
  expect((await client.over(application.domain, id)).state).toBe('completed');
  expect(faults(await client.file(application.domain, id), { must, from: 10 })).toEqual(none);
});

it('an export has what was stored before, whatever its time', async () => {
  const { one, token, application, entries } = await start();
  const client = exportClient(one.url, token);
  const newKey = createKeysAt();
  for (let n = 0; n < 20; n++) {
    const _id = newKey(Buffer.from(application.id, 'hex'), Date.now() - (n % 3) * behindMs);
    await entries.insertOne(
      { _id, payload: { n, text: 'x' } },
      { writeConcern: { w: 'majority', journal: true } },
    );
  }
  const id = await client.create(application.domain);
  expect((await client.over(application.domain, id)).state).toBe('completed');
  const must = new Set(Array.from({ length: 20 }, (_, n) => n));
  expect(faults(await client.file(application.domain, id), { must, from: 20 })).toEqual(none);
});
