import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createConnections } from '../support/connections.ts';
import { ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';

/** How often an API is killed. */
const kills = Number(process.env.KILLS ?? 2);
const uploadsBefore = 500;
it(
  'who follows an application gets each acknowledged upload once, while APIs are killed',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    removeSilent(MONGODB_URL);
    const env = { ...ownStores(), MONGODB_URL };
    const [steady, mortal] = [await createApiProcess(env), await createApiProcess(env)];
    await Promise.all([steady.start(), mortal.start()]);
    const path = `/api/applications/${await steady.application({ type: 'object' })}/data`;
    const json = { username: 'owner', password: 'correct horse' };
    const { token } = (await call(steady.url, 'POST', '/api/users/login', { json })).body.data;

    const [acknowledged, read] = [new Set<number>(), [] as number[]];
    let sent = 0;
    let isOver = false;

    async function follow(): Promise<void> {
      let after = '';
      const readPage = async () => {
        const answer = await call(steady.url, 'GET', `${path}?order=oldest&limit=300${after}`, { token });
        expect(answer.status).toBe(200);
        const { result, pagination } = answer.body.data;
        read.push(...result.map(({ payload }: { payload: { n: number } }) => payload.n));
        after = `&after=${pagination.cursor}`;
        return isOver && new Set(read).isSupersetOf(acknowledged);
      };
      await until(readPage, 240_000);
    }

    async function upload(url: string, pauseMs: number): Promise<void> {
      const connections = createConnections(url, 8);
      onTestFinished(connections.close);
      await connections.keepBusy(async () => {
        const n = sent++;
        const answer = await connections.post(path, JSON.stringify({ n })).catch(() => undefined);
        if (answer?.status === 201) acknowledged.add(n);
        await pause(pauseMs);
        return isOver || !answer ? 'enough' : 'more';
      });
    }

    const following = follow();
    // The process that starts needs the processors.
    const steadily = upload(steady.url, 200);
    for (let round = 0; round < kills; round++) {
      const uploading = upload(mortal.url, 5);
      const before = acknowledged.size;
      await until(async () => acknowledged.size >= before + uploadsBefore);
      mortal.kill();
      await Promise.all([uploading, mortal.gone()]);
      await mortal.start();
    }
    isOver = true;
    await Promise.all([steadily, following]);
    expect(read).toHaveLength(new Set(read).size);
  },
  240_000 + kills * 60_000,
);
