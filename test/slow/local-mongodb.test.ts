import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { startMongodb } from '../../local/stores/mongodb.ts';
import { onPathFirst, refusing } from '../support/local/stand-ins.ts';
import { crash, storeOptions } from '../support/local/stores.ts';
import { tempDir } from '../support/local/temp-dir.ts';

async function using<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await new MongoClient(url).connect();
  return work(client).finally(() => client.close());
}

const count = (url: string) => using(url, (client) => client.db('test').collection('kept').countDocuments());

it('keeps its data and serves transactions, also when its last port is taken', async () => {
  const options = storeOptions(tempDir());
  const first = await startMongodb(options);
  await using(first.url, async (client) => {
    const kept = client.db('test').collection('kept', { writeConcern: { w: 'majority', j: true } });
    await client.withSession((session) =>
      session.withTransaction(() => kept.insertOne({ _id: 1 as never }, { session })),
    );
  });
  await first.stop();

  const again = await startMongodb(options);
  expect(again.url).toBe(first.url);
  expect(await count(again.url)).toBe(1);
  await again.stop();

  const squatter = createServer((socket) => socket.destroy());
  onTestFinished(() => void squatter.close());
  await once(squatter.listen(Number(new URL(first.url).port), '127.0.0.1'), 'listening');
  const moved = await startMongodb(options);
  expect(moved.url).not.toBe(first.url);
  await using(moved.url, (client) =>
    client.withSession((session) =>
      session.withTransaction(() => client.db('test').collection('kept').insertOne({}, { session })),
    ),
  );
  expect(await count(moved.url)).toBe(2);
});

it('runs again after a crash, at the same address and with its data', async () => {
  const options = storeOptions(tempDir());
  const { url } = await startMongodb(options);
  await using(url, (client) =>
    client
      .db('test')
      .collection('kept')
      .insertOne({}, { writeConcern: { j: true } }),
  );
  const again = once(options.lines, 'mongod runs again');
  crash(options.dataDir, 'mongod');
  await again;
  expect(await count(url)).toBe(1);
});

it('goes on with the program that wrote the folder; of another that refuses it, it says what to do', async () => {
  const dataDir = tempDir();
  const first = await startMongodb(storeOptions(dataDir));
  await using(first.url, (client) => client.db('test').collection('kept').insertOne({}));
  await first.stop();
  const path = onPathFirst({ mongod: refusing('99.0.1') });
  const again = await startMongodb(storeOptions(dataDir));
  expect(again.source).toBe(first.source);
  expect(await count(again.url)).toBe(1);
  await again.stop();

  const folder = join(dataDir, 'mongodb');
  const record = { program: '/removed/mongod', version: '98.0.0' };
  writeFileSync(join(folder, 'written-by.json'), JSON.stringify(record));
  const before = readdirSync(folder);
  const options = { ...storeOptions(dataDir), cacheDir: tempDir() };
  await expect(startMongodb(options)).rejects.toThrow(
    `MongoDB cannot start: mongod 99.0.1 at ${path}/mongod (exit code 1) cannot use ${folder}, ` +
      `see ${join(dataDir, 'logs', 'mongod.log')}; install mongod 98.0.0, which wrote this folder`,
  );
  expect(readdirSync(folder)).toEqual(before);
  expect(options.said).toEqual([]);
});
