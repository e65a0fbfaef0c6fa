import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createConnections } from '../support/connections.ts';
import { ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';
import { unzip } from '../support/unzip.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How often an API and the export worker are killed. */
const kills = Number(process.env.KILLS ?? 2);
const uploadsBefore = 500;

/** The number of each entry in a file, in each of its tables. */
async function numbersIn(file: Buffer, isArchive: boolean): Promise<number[][]> {
  const lines = (text: string) => text.split(/\r?\n/).slice(0, -1);
  if (!isArchive) return [lines(file.toString()).map((line) => JSON.parse(line).payload.n)];
  const tables = [...(await unzip(file)).values()];
  return tables.map((table) =>
    lines(table)
      .slice(1)
      .map((row) => Number(row.slice(row.lastIndexOf(',') + 1))),
  );
}

interface Asked {
  id: string;
  isArchive: boolean;
  /** What was acknowledged before. */
  must: Set<number>;
  /** What was sent after it was answered begins here. */
  from: number;
}

it(
  'who follows an application gets each acknowledged upload once, and so do exports, while APIs and export workers are killed',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    removeSilent(MONGODB_URL);
    const env = { ...ownStores(), MONGODB_URL };
    const [steady, mortal] = [await createApiProcess(env), await createApiProcess(env)];
    const worker = createWorkerProcess('export-worker', env);
    await Promise.all([steady.start(), mortal.start(), worker.start()]);
    const application = `/api/applications/${await steady.application({ type: 'object' })}`;
    const path = `${application}/data`;
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
        const answer = await connections
          .post(path, JSON.stringify({ items: [{ n }], n }))
          .catch(() => undefined);
        if (answer?.status === 201) acknowledged.add(n);
        await pause(pauseMs);
        return isOver || !answer ? 'enough' : 'more';
      });
    }

    const asked: Asked[] = [];
    async function ask(isArchive: boolean): Promise<void> {
      const must = new Set(acknowledged);
      const options = isArchive ? { format: 'csv', arrays: 'rows' } : { format: 'ndjson' };
      const { body } = await call(steady.url, 'POST', `${application}/exports`, { token, json: options });
      asked.push({ id: body.data.id, isArchive, must, from: sent });
    }

    async function expectExact({ id, isArchive, must, from }: Asked): Promise<void> {
      const job = `${application}/exports/${id}`;
      const state = async () => (await call(steady.url, 'GET', job, { token })).body.data.state;
      await until(async () => (await state()) === 'completed', 180_000);
      const headers = { authorization: `Bearer ${token}` };
      const file = await fetch(`${steady.url}${job}/file`, { headers });
      const tables = await numbersIn(Buffer.from(await file.arrayBuffer()), isArchive);
      for (const numbers of tables) {
        const has = new Set(numbers);
        expect(numbers).toHaveLength(has.size);
        expect([...must].filter((n) => !has.has(n))).toEqual([]);
        expect(numbers.filter((n) => n >= from)).toEqual([]);
        expect(numbers).toEqual(tables[0]);
      }
    }

    const following = follow();
    // The process that starts needs the processors.
    const steadily = upload(steady.url, 200);
    for (let round = 0; round < kills; round++) {
      const uploading = upload(mortal.url, 5);
      const before = acknowledged.size;
      await until(async () => acknowledged.size >= before + uploadsBefore);
      await Promise.all([ask(true), ask(false)]);
      mortal.kill();
      worker.kill();
      await Promise.all([uploading, mortal.gone(), worker.gone(), ask(true), ask(false)]);
      await Promise.all([mortal.start(), worker.start()]);
    }
    isOver = true;
    await Promise.all([steadily, following]);
    expect(read).toHaveLength(new Set(read).size);
    expect(asked).toHaveLength(4 * kills);
    for (const one of asked) await expectExact(one);
  },
  240_000 + kills * 60_000,
);
