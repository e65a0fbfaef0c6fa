import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createConnections } from '../support/connections.ts';
import { ownDatabase } from '../support/own-database.ts';
import { call, ownStores, until } from '../support/sluice.ts';

/** How often the API is killed. */
const kills = Number(process.env.KILLS ?? 3);
/** What the API has answered each time before it is killed: now more, now less. */
const answersBefore = (round: number) => 200 + 150 * (round % 4);

/** Every second upload has a key. */
const keyOf = (id: number) => (id % 2 === 0 ? `key-${id}` : undefined);

it(
  'an API killed amid uploads has stored all that it acknowledged, and retries with a key store the others once',
  async () => {
    const { db, url: MONGODB_URL } = await ownDatabase();
    const api = await createApiProcess({ ...ownStores(), MONGODB_URL });
    await api.start();
    const path = `/api/applications/${await api.application({ type: 'object' })}/data`;
    const connections = createConnections(api.url, 64);
    onTestFinished(connections.close);

    const acknowledged = new Set<number>();
    const unanswered = new Set<number>();
    const unexpected: string[] = [];
    let sent = 0;

    async function upload(id: number): Promise<void> {
      const key = keyOf(id);
      const body = JSON.stringify({ id, text: 'x'.repeat(id % 700) });
      const { status, text } = await connections.post(path, body, key ? { 'idempotency-key': key } : {});
      if (status === 201) acknowledged.add(id);
      else unexpected.push(`${id}: ${status} ${text}`);
    }

    /** Sends new uploads on all connections until the API is dead. */
    async function uploadUntilKilled(answers: number): Promise<void> {
      const enough = acknowledged.size + answers;
      await connections.keepBusy(async () => {
        const id = sent++;
        try {
          await upload(id);
        } catch {
          unanswered.add(id);
          return 'enough';
        }
        if (acknowledged.size >= enough) api.kill();
        return 'more';
      });
    }

    for (let round = 0; round < kills; round++) {
      const first = sent;
      await uploadUntilKilled(answersBefore(round));
      await api.gone();
      await api.start();
      const retried = Array.from({ length: sent - first }, (_, i) => first + i).filter(keyOf);
      const retries = retried.values();
      await connections.keepBusy(async () => {
        const { value: id, done } = retries.next();
        if (done) return 'enough';
        await upload(id);
        unanswered.delete(id);
        return 'more';
      });
    }

    expect(unexpected).toEqual([]);
    const counts = new Map<number, number>();
    for await (const { payload } of db.collection('entries').find())
      counts.set(payload.id, (counts.get(payload.id) ?? 0) + 1);
    const lost = [...acknowledged].filter((id) => !counts.has(id));
    const twice = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
    expect({ lost, twice }).toEqual({ lost: [], twice: [] });
    // Without a key, what was not answered may be stored or not.
    const rest = [...counts.keys()].filter((id) => !acknowledged.has(id));
    expect(rest.filter((id) => !unanswered.has(id) || keyOf(id))).toEqual([]);
  },
  120_000 + kills * 60_000,
);

it('a batch with a key that was being stored when the API was killed is completed by a retry', async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const api = await createApiProcess({ ...ownStores(), MONGODB_URL });
  await api.start();
  const path = `/api/applications/${await api.application({ type: 'object' })}/data/batch`;
  const body = Array.from({ length: 5_000 }, (_, id) => `{"id":${id}}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'key' };
  const send = () => call(api.url, 'POST', path, { body, headers });
  const stored = db.collection('entries');

  const first = send().catch(() => undefined);
  await until(async () => (await stored.findOne({})) !== null);
  api.kill();
  await first;
  await api.gone();
  await api.start();
  const { status, body: answer } = await send();
  expect([status, answer.data]).toEqual([201, { accepted: 5_000, rejected: 0, errors: [] }]);
  expect(await stored.countDocuments({})).toBe(5_000);
  expect(await stored.distinct('payload.id')).toHaveLength(5_000);
});
