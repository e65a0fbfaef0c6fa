import { setTimeout as pause } from 'node:timers/promises';
import { shardKeys } from '@sluice/store/sharding/collections.ts';
import { expect, it, onTestFinished } from 'vitest';
import { mayScatter } from '../support/mongos/scattered.ts';
import { startMongos } from '../support/mongos/start-mongos.ts';
import { startReplicaSet } from '../support/replica-set.ts';
import { startSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

/** How often a primary is killed. */
const kills = Number(process.env.KILLS ?? 2);
const uploadsBefore = 200;

it(
  'uploads by way of mongos are stored once each, while primaries of a shard are killed',
  async () => {
    const set = await startReplicaSet();
    const mongos = await startMongos({
      url: set.urlOf('sluice_test_elections'),
      sharded: shardKeys,
      mayScatter,
    });
    onTestFinished(mongos.stop);
    const env = { MONGODB_URL: mongos.url, MONGODB_TIMEOUT: '10s' };
    const sluice = await startSluice({ env, workers: false });
    onTestFinished(sluice.stop);
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const { upload, payloads } = uploadClient(sluice, token);
    const acknowledged = new Set<number>();
    const open = new Set<number>();
    let sent = 0;
    let isOver = false;

    async function send(n: number): Promise<void> {
      open.add(n);
      const { status, text } = await upload(domain, JSON.stringify({ n }), `key-${n}`);
      if (status !== 503) expect(status, text).toBe(201);
      // The election needs the processors.
      if (status !== 201) return pause(50);
      open.delete(n);
      acknowledged.add(n);
    }
    async function keepSending(): Promise<void> {
      while (!isOver) await send(sent++);
    }
    const sending = Array.from({ length: 8 }, keepSending);
    for (let round = 0; round < kills; round++) {
      const before = acknowledged.size;
      await until(async () => acknowledged.size >= before + uploadsBefore);
      await set.killPrimary();
    }
    isOver = true;
    await Promise.all(sending);
    const unconfirmed = open.size;
    await until(async () => {
      await Promise.all([...open].map(send));
      return open.size === 0;
    });
    let stored: number[] = [];
    await until(async () => {
      stored = (await payloads(domain)).map(({ n }) => n);
      return stored.length > 0;
    });
    if (process.env.SEE)
      console.log({ kills, unconfirmed, acknowledged: acknowledged.size, stored: stored.length });
    expect(stored.sort((a, b) => a - b)).toEqual([...acknowledged].sort((a, b) => a - b));
  },
  180_000 + kills * 60_000,
);
