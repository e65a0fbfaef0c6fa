import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { createStack, docker, inspect, type Stack, until } from '../compose/stack.ts';
import { leftovers, nothing } from './leftovers.ts';

const members = ['mongo', 'mongo-2', 'mongo-3'];
const hosts = members.map((name) => `${name}:27017`).join();

export interface Additions {
  /** More compose files. */
  files?: string[];
  settings?: Record<string, string>;
}

/** The stack as it is run where nothing may stop it: three members of MongoDB, two replicas of each service. */
async function startCluster({ files, settings }: Additions) {
  const own = {
    JWT_SECRET: randomBytes(48).toString('base64'),
    REGISTRATION_OPEN: 'on',
    COMPOSE_PROFILES: 'ha',
    MONGO_MEMBERS: hosts,
    MONGO_MEMORY: '1g',
    REGISTER_RATE: 'off',
    LOGIN_RATE: 'off',
    JOB_QUOTA: '2000',
  };
  const stack = await createStack({ ...own, ...settings }, files);
  const scale = ['api=2', 'ingest-worker=2', 'export-worker=2'].flatMap((replicas) => ['--scale', replicas]);
  await stack
    .compose('up', '-d', '--build', '--wait', '--wait-timeout', '300', ...scale)
    .catch(async (error) => {
      await stack.down();
      await stack.discard();
      throw error;
    });
  return { ...stack, ...faultsOf(stack) };
}

export async function expectNothingLeft(cluster: Cluster, what: unknown): Promise<void> {
  const left = () => leftovers(cluster, members);
  await expect.poll(left, { timeout: 180_000, interval: 2_000 }).toEqual(what);
}

/** A cluster for the tests of a `describe`; behind each nothing may be left over. */
export function useCluster(additions: () => Promise<Additions> = async () => ({})): () => Cluster {
  let cluster: Cluster | undefined;
  let failed = false;

  beforeAll(async () => {
    cluster = await startCluster(await additions());
  });

  afterEach(async ({ task }) => {
    failed ||= task.result?.state === 'fail';
    if (!cluster || failed) return;
    try {
      await expectNothingLeft(cluster, { ...nothing, chunks: expect.any(Number) });
    } catch (error) {
      failed = true;
      throw error;
    }
  });

  afterAll(async () => {
    if (!cluster) return;
    if (failed) console.error(await cluster.compose('logs', '--no-color', '--tail', '100').catch(String));
    await cluster.down();
    await cluster.discard();
  });

  return () => cluster as Cluster;
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Ends a fault. */
export type Mend = () => Promise<unknown>;

/** Also mends a fault when a test fails before it does: one that stays would fail all later tests. */
function atEnd(mend: Mend): Mend {
  let mended: Promise<unknown> | undefined;
  const once = () => {
    mended ??= mend();
    return mended;
  };
  onTestFinished(async () => {
    await once();
  });
  return once;
}

/** Each resolves, once the fault is there, with what mends it. */
function faultsOf(stack: Stack) {
  const one = async (service: string) => (await stack.replicas(service))[0] as string;
  const isHealthy = async (id: string) => (await inspect(id, '{{.State.Health.Status}}')) === 'healthy';
  const network = async (id: string, name: string) => {
    const all = JSON.parse(await inspect(id, '{{json .NetworkSettings.Networks}}'));
    return Object.keys(all).find((each) => each.endsWith(`_${name}`)) as string;
  };

  /** The member of MongoDB that is the primary, asked from any that answers. */
  async function primary(): Promise<string> {
    for (;;) {
      for (const name of members) {
        const asked = ['exec', '-T', name, 'mongosh', '--quiet', '--norc', '--eval', 'db.hello().primary'];
        const host = await stack.compose(...asked).catch(() => '');
        const found = members.find((each) => host.trim() === `${each}:27017`);
        if (found) return found;
      }
    }
  }

  return {
    one,
    members,
    primary,
    healthy: (id: string) => until(`${id} is healthy`, () => isHealthy(id), 120_000),
    redis: async (...args: string[]) => docker('exec', await one('redis'), 'redis-cli', ...args),
    async kill(id: string): Promise<Mend> {
      await docker('kill', id);
      return atEnd(() => docker('start', id));
    },
    async stop(id: string): Promise<Mend> {
      await docker('stop', id);
      return atEnd(() => docker('start', id));
    },
    async pause(id: string): Promise<Mend> {
      await docker('pause', id);
      return atEnd(() => docker('unpause', id));
    },
    /** Disconnects a container from the network. */
    async cut(service: string): Promise<Mend> {
      const id = await one(service);
      const backend = await network(id, 'backend');
      await docker('network', 'disconnect', backend, id);
      return atEnd(() => docker('network', 'connect', '--alias', service, backend, id));
    },
  };
}
