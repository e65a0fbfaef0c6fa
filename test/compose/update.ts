import { chmod, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { keepFollowing } from '../support/keep-following.ts';
import { type Client, createClient, startLoad } from './client.ts';
import { inspect, type Stack, until } from './stack.ts';

const haproxyConfiguration = new URL('../../deploy/haproxy/haproxy.cfg', import.meta.url);
const otherImages = { COMPOSE_FILE: 'docker-compose.yml:test/compose/other-images.yml' };
const withinMs = 600_000;

/** Uploads up to 200 entries a second while something is done. None may fail, and each has to be stored once and told once to who follows. */
async function underLoad(stack: Stack, action: () => Promise<void>): Promise<void> {
  const client = await createClient(stack.url);
  const { ids, state, stop } = keepFollowing([stack.url.replace(/\/api$/, '')], client);
  await until('it is followed', async () => state.lastEventId !== undefined);
  const load = startLoad(client, 8, 30);
  try {
    await load.goOn(50);
    await action();
    await load.goOn(100);
  } finally {
    await load.stop();
  }
  expect(load.failed).toEqual([]);
  expect((await client.listed()).sort((a, b) => a - b)).toEqual(load.stored.sort((a, b) => a - b));
  await until('all is told', async () => ids.length + state.skipped >= load.stored.length);
  await stop();
  expect([ids.length + state.skipped, new Set(ids).size]).toEqual([load.stored.length, ids.length]);
}

const allReplicas = (stack: Stack) =>
  Promise.all(['api', 'ingest-worker', 'export-worker', 'query-worker'].map(stack.replicas));

/** The answers to several uploads of 4 KiB, so that each replica of the API has some. */
async function uploadLonger({ call, path }: Client): Promise<number[]> {
  const content = { n: 0, text: 'x'.repeat(4_096) };
  const upload = async () => (await call('POST', `${path}/data`, content)).status;
  return Promise.all(Array.from({ length: 6 }, upload));
}

/** Tests of `deploy/update.sh`, and of other numbers of replicas. The stack has two replicas of each service. */
export function testUpdates(stack: () => Stack): void {
  it(
    'is updated to other images without a failed request, by one update at a time',
    async () => {
      const before = (await allReplicas(stack())).flat();
      await underLoad(stack(), async () => {
        const both = [stack().update(otherImages), stack().update(otherImages)];
        const [refused, ...others] = (await Promise.allSettled(both)).filter(
          ({ status }) => status === 'rejected',
        ) as PromiseRejectedResult[];
        expect(String(refused?.reason)).toContain('another update is running');
        expect(others).toEqual([]);
      });
      const after = await allReplicas(stack());
      expect(after.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
      expect(after.flat().filter((id) => before.includes(id))).toEqual([]);
      const label = '{{index .Config.Labels "sluice-test"}}';
      const labels = await Promise.all(after.flat().map((id) => inspect(id, label)));
      expect(new Set(labels)).toEqual(new Set(['other']));
    },
    withinMs,
  );

  it(
    'is updated to other settings without a failed request, and leaves alone what has them',
    async () => {
      const [oldApis, ...workers] = await allReplicas(stack());
      const client = await createClient(stack().url);
      await underLoad(stack(), async () => {
        expect(await uploadLonger(client)).toEqual(Array(6).fill(201));
        // The file has another time of change, as if it had been written.
        await chmod(haproxyConfiguration, (await stat(haproxyConfiguration)).mode);
        const told = await stack().update({ ...otherImages, BODY_LIMIT: '2KiB' });
        expect(told).toContain('haproxy: has read its new configuration');
        expect(await uploadLonger(client)).toEqual(Array(6).fill(413));
      });
      const [apis, ...same] = await allReplicas(stack());
      expect(same).toEqual(workers);
      expect(apis).toHaveLength(2);
      expect(apis?.filter((id) => oldApis?.includes(id))).toEqual([]);
    },
    withinMs,
  );

  it(
    'serves on when an update does not start, and says why',
    async () => {
      const before = await allReplicas(stack());
      const settings = { ...otherImages, BODY_LIMIT: '2KiB', JWT_SECRET: 'short' };
      await underLoad(stack(), async () => {
        const update = stack().update(settings);
        await expect(update).rejects.toThrow('JWT_SECRET must have at least 32 bytes');
      });
      expect(await allReplicas(stack())).toEqual(before);
    },
    withinMs,
  );

  it(
    'gets more and fewer replicas of the API without a failed request',
    async () => {
      const { compose, replicas } = stack();
      await underLoad(stack(), async () => {
        for (const count of [3, 1, 2]) {
          await compose('up', '-d', '--no-deps', '--no-recreate', '--wait', '--scale', `api=${count}`, 'api');
          expect(await replicas('api')).toHaveLength(count);
        }
      });
    },
    withinMs,
  );
}
