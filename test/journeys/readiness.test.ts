import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { throughProxy } from '../support/own-database.ts';
import { ownStores, startSluice, until } from '../support/sluice.ts';

/** A TCP proxy that keeps what its clients send, as text. */
async function createListener(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  const heard: string[] = [];
  const server = createServer((client) => {
    const upstream = connect(target);
    client
      .on('data', (chunk) => heard.push(chunk.toString('latin1')))
      .pipe(upstream)
      .pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => other.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    host: '127.0.0.1',
    port,
    forget: () => void heard.splice(0),
    /** How often a text was sent. */
    count: (text: string) => heard.join('').split(text).length - 1,
  };
}

const addressOf = (url: string, usual: number) => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || usual) };
};

it('readiness asks MongoDB and Redis once a second at most, however often it is asked', async () => {
  const env = ownStores();
  const mongodb = await createListener(addressOf(inject('mongodbUrl'), 27017));
  const redis = await createListener(addressOf(inject('redisUrl'), 6379));
  const redisUrl = new URL(inject('redisUrl'));
  redisUrl.host = `${redis.host}:${redis.port}`;
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, mongodb);
  const sluice = await startSluice({
    workers: false,
    env: { ...env, MONGODB_URL, REDIS_URL: redisUrl.href },
  });
  onTestFinished(() => sluice.stop());
  const ready = () => sluice.request('GET', '/health/ready');
  await until(async () => (await ready()).body.data.redis === 'up');

  mongodb.forget();
  redis.forget();
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 50 }, ready));
  for (let i = 0; i < 50; i++) answers.push(await ready());
  const looks = 1 + Math.floor((performance.now() - began) / 1_000);
  for (const { status, body } of answers)
    expect([status, body.data]).toMatchObject([200, { status: 'serving', mongodb: 'up', redis: 'up' }]);
  expect(mongodb.count('\x10ping\0')).toBeLessThanOrEqual(looks);
  // Each look counts the workers of two queues.
  expect(redis.count('client')).toBeLessThanOrEqual(2 * looks);

  // What is told is a second old at most.
  mongodb.forget();
  redis.forget();
  await until(async () => (await ready()) && mongodb.count('\x10ping\0') > 0 && redis.count('client') > 0);
});

it('draining shows at once, also to who asked before and waits for MongoDB', async () => {
  const env = ownStores();
  const mongodb = await createCuttableProxy(addressOf(inject('mongodbUrl'), 27017));
  onTestFinished(() => mongodb.close());
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, mongodb);
  const sluice = await startSluice({ workers: false, env: { ...env, MONGODB_URL, DRAIN_DELAY: '3s' } });
  const ready = async () => {
    const { status, body } = await sluice.request('GET', '/health/ready');
    return [status, body.error?.message];
  };
  expect(await ready()).toEqual([200, undefined]);
  const held = mongodb.stallWhenSent('\x10ping\0');
  const waiting = new Set<Promise<unknown>>();
  await until(async () => {
    const asked = ready().finally(() => waiting.delete(asked));
    waiting.add(asked);
    return held.left === 0;
  });
  const left = [...waiting];
  const stopped = sluice.stop();
  const draining = [404, 'this replica is draining'];
  expect(await ready()).toEqual(draining);
  await mongodb.restore();
  for (const answer of left) expect(await answer).toEqual(draining);
  await stopped;
});
