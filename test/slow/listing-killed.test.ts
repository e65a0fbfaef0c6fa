import { createSetMilestones } from '@sluice/ingest-worker/milestones/set-milestones.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { milestoneStore } from '@sluice/store/entries/milestones.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createConnections } from '../support/connections.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';

/** How often the API is killed. */
const kills = Number(process.env.KILLS ?? 3);
const batchesBefore = (round: number) => 60 + 30 * (round % 3);
const batch = Array.from({ length: 10 }, (_, n) => `{"n":${n}}\n`).join('');
const spacing = 100;

const settleEveryMs = 100;

/** Sets milestones again and again. Call in a test. */
function settleQuickly({ db, url }: Awaited<ReturnType<typeof ownDatabase>>): void {
  const { applications, horizon } = openStore(url);
  removeSilent(url, 8_000);
  const settle = createSetMilestones({
    applications,
    milestones: milestoneStore(db, spacing),
    horizon,
    log: createLogger('test', { level: 'silent', pretty: false }),
  });
  const stopping = new AbortController();
  let running = Promise.resolve();
  const stop = repeat(settleEveryMs, () => {
    running = settle(stopping.signal);
    return running;
  });
  onTestFinished(async () => {
    stopping.abort();
    stop();
    await running;
  });
}

it(
  'the total is what there is, after an API was killed amid uploads again and again while milestones were set',
  async () => {
    const database = await ownDatabase();
    const api = await createApiProcess({ ...ownStores(), MONGODB_URL: database.url });
    await api.start();
    const path = `/api/applications/${await api.application({ type: 'object' })}/data`;
    settleQuickly(database);
    const connections = createConnections(api.url, 32);
    onTestFinished(connections.close);

    async function uploadUntilKilled(answers: number): Promise<void> {
      let left = answers;
      await connections.keepBusy(async () => {
        try {
          await connections.post(`${path}/batch`, batch, { 'content-type': 'application/x-ndjson' });
        } catch {
          return 'enough';
        }
        left -= 1;
        if (left === 0) api.kill();
        return 'more';
      });
    }

    const milestones = database.db.collection('milestones');
    const areSome = async () => (await milestones.countDocuments()) > 0;
    for (let round = 0; round < kills || !(await areSome()); round++) {
      await uploadUntilKilled(batchesBefore(round));
      await api.gone();
      await api.start();
    }

    const entries = database.db.collection('entries');
    const stored = await entries.countDocuments();
    await until(async () => (await milestones.countDocuments()) === Math.floor(stored / spacing));
    const credentials = { username: 'owner', password: 'correct horse' };
    const { token } = (await call(api.url, 'POST', '/api/users/login', { json: credentials })).body.data;
    const list = async (query: string) =>
      (await call(api.url, 'GET', `${path}?${query}`, { token })).body.data;
    expect((await list('limit=1')).pagination.total).toBe(stored);
    const deep = await list(`start=${stored - 7}&limit=100`);
    expect([deep.result.length, deep.pagination.isLast]).toEqual([7, true]);
    const ofMilestones = milestones.find().sort({ _id: 1 });
    for await (const { _id, rank } of ofMilestones)
      expect(await entries.countDocuments({ _id: { $lte: _id } })).toBe(rank);
  },
  150_000 + kills * 30_000,
);
