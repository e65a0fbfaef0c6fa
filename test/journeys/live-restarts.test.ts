import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { follow } from '../support/live-client.ts';
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

    const [stored, read] = [new Set<number>(), [] as string[]];
    let seen = 0;
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    let lastEventId: string | undefined;
    let connections = 0;

    async function followOnce(url: string): Promise<void> {
      const following = await follow(url, { token, domain, lastEventId });
      connections += 1;
      let told = 0;
      const take = () => {
        for (const { event, id, data } of following.events.slice(told)) {
          told += 1;
          lastEventId = id;
          expect(event).not.toBe('skipped');
          if (event !== 'entry') continue;
          read.push(data.id);
          seen += 1;
        }
      };
      let hasEnded = false;
      const ending = following.ended.finally(() => {
        hasEnded = true;
      });
      ending.catch(() => {});
      await until(async () => {
        take();
        return hasEnded || isOver;
      }, allMs);
      if (isOver) return following.leave();
      await ending;
      take();
    }

    async function keepFollowing(): Promise<void> {
      for (let n = 0; !isOver; n++)
        await followOnce((apis[n % 2] as (typeof apis)[0]).url).catch((error: Error) => {
          // A server that is down, or has just ended.
          if (!/fetch failed|terminated|other side closed/.test(error.message)) throw error;
        });
    }

    async function upload(): Promise<void> {
      for (let n = 0; !isOver; n++) {
        await until(async () => isOver || stored.size - seen < mostUnseen, allMs);
        const { url } = apis[n % 2] as (typeof apis)[0];
        const answer = await call(url, 'POST', path, { json: { n } }).catch(() => undefined);
        if (answer?.status === 201) stored.add(n);
      }
    }

    const working = Promise.all([keepFollowing(), upload()]);
    const step = (isDone: () => boolean) =>
      Promise.race([
        working,
        until(async () => isDone(), stepMs).catch((cause) => {
          const state = { stored: stored.size, seen, connections, lastEventId };
          throw new Error(`followed: ${JSON.stringify(state)}`, { cause });
        }),
      ]);
    await step(() => connections > 0);
    for (const api of [...apis, ...apis]) {
      const before = stored.size;
      await step(() => stored.size >= before + uploadsBetween);
      api.stop();
      await api.gone();
      await api.start();
    }
    await step(() => seen >= stored.size);
    isOver = true;
    await working;
    const { applications, entries } = openStore(MONGODB_URL);
    const { id = '' } = (await applications.byDomain(domain)) ?? {};
    const all = (await entries.forward(id, { start: 0, limit: 100_000 })).entries.map((entry) => entry.id);
    expect(read).toEqual(all.slice(0, read.length));
    expect(read.length).toBeGreaterThanOrEqual(4 * uploadsBetween);
    expect(connections).toBeGreaterThan(2);
  },
  allMs,
);
