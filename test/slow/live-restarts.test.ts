import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { keepFollowing } from '../support/keep-following.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';

/** Fewer than what is never left out. */
const mostUnseen = 15;
const uploadsBetween = 30;
/** A process that could not say that it ends, or does not know whether it stored an upload, is waited for. */
const stepMs = 120_000;
const allMs = 6 * stepMs;

it(
  'who follows through restarts of all APIs gets each stored entry once and in order',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    removeSilent(MONGODB_URL);
    const env = { ...ownStores(), MONGODB_URL, DRAIN_DELAY: '1s' };
    const apis = [await createApiProcess(env), await createApiProcess(env)] as const;
    await Promise.all(apis.map((api) => api.start()));
    const domain = await apis[0].application({ type: 'object' });
    const json = { username: 'owner', password: 'correct horse' };
    const { token } = (await call(apis[0].url, 'POST', '/api/users/login', { json })).body.data;
    const path = `/api/applications/${domain}/data`;
    const { ids, state, stop } = keepFollowing(
      apis.map(({ url }) => url),
      { token, domain },
    );

    let [stored, isOver] = [0, false];
    onTestFinished(() => {
      isOver = true;
    });
    async function upload(): Promise<void> {
      for (let n = 0; !isOver; n++) {
        await until(async () => isOver || stored - ids.length < mostUnseen, allMs);
        const { url } = apis[n % 2] as (typeof apis)[0];
        const answer = await call(url, 'POST', path, { json: { n } }).catch(() => undefined);
        if (answer?.status === 201) stored += 1;
        // The processes that start need the processors.
        await pause(50);
      }
    }

    const step = (isDone: () => boolean) =>
      until(async () => isDone(), stepMs).catch((cause) => {
        throw new Error(`followed: ${JSON.stringify({ stored, told: ids.length, ...state })}`, { cause });
      });
    await step(() => state.connections > 0);
    const uploading = upload();
    for (const api of [...apis, ...apis]) {
      const before = stored;
      await step(() => stored >= before + uploadsBetween);
      api.stop();
      await api.gone();
      await api.start();
    }
    isOver = true;
    await uploading;
    await step(() => ids.length >= stored);
    await stop();
    const { applications, entries } = openStore(MONGODB_URL);
    const { id = '' } = (await applications.byDomain(domain)) ?? {};
    const all = (await entries.forward(id, { start: 0, limit: 100_000 })).entries.map((entry) => entry.id);
    expect(ids).toEqual(all.slice(0, ids.length));
    expect(ids.length).toBeGreaterThanOrEqual(4 * uploadsBetween);
    expect(state).toMatchObject({ skipped: 0, connections: expect.toSatisfy((n) => n > 2) });
  },
  allMs,
);
