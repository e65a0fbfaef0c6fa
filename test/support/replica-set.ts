import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type Child, createChildren } from '../../local/children.ts';
import { localEnv } from '../../local/env.ts';
import { freePort } from '../../local/ports.ts';
import { mongod, servers } from '../../local/stores/find.ts';
import { ramDisk } from './ram-disk.ts';
import { until } from './sluice.ts';

const settings = { electionTimeoutMillis: 1_000, heartbeatIntervalMillis: 200 };

/** A mongod that runs here. */
export async function findProgram(children: ReturnType<typeof createChildren>): Promise<string> {
  const { cacheDir } = localEnv();
  for await (const found of servers(mongod, undefined, { cacheDir, children, log: () => {} }))
    if ('program' in found) return found.program;
  throw new Error('a replica set of tests needs a mongod program');
}

/** The arguments of a mongod that is a member of a replica set. */
export const memberArgs = ({ set, dbpath, port }: { set: string; dbpath: string; port: number }) => [
  ...['--replSet', set, '--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1'],
  ...['--nounixsocket', '--wiredTigerCacheSizeGB', '0.25', '--quiet'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // By default a primary that stops waits 15 s for another member to take over.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
];

/** Three members of MongoDB, which elect another primary within some seconds. Call in a test. */
export async function startReplicaSet() {
  const dir = mkdtempSync(join(ramDisk(), 'sluice-set-'));
  const children = createChildren(join(dir, 'run'));
  onTestFinished(async () => {
    await children.stopAll();
    rmSync(dir, { recursive: true, force: true });
  });
  const program = await findProgram(children);
  const running = new Map<number, Child>();

  function start(port: number): void {
    const dbpath = join(dir, String(port));
    mkdirSync(dbpath, { recursive: true });
    const child = children.start({
      name: `mongod-${port}`,
      rank: 1,
      command: program,
      args: memberArgs({ set: 'set', dbpath, port }),
      stdio: 'ignore',
    });
    running.set(port, child);
  }

  const ports: number[] = [];
  for (let n = 0; n < 3; n++) {
    const port = await freePort();
    ports.push(port);
    start(port);
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`);

  async function onMember<T>(port: number, ask: (client: MongoClient) => Promise<T>): Promise<T> {
    const options = { directConnection: true, serverSelectionTimeoutMS: 500 };
    const client = new MongoClient(`mongodb://127.0.0.1:${port}`, options);
    try {
      return await ask(client);
    } finally {
      await client.close();
    }
  }

  /** Waits until there is one; resolves with its port. */
  async function primary(): Promise<number> {
    let at = -1;
    await until(async () => {
      const asked = ports.map((port) =>
        onMember(port, (client) => client.db('admin').command({ hello: 1 })).catch(() => undefined),
      );
      at = (await Promise.all(asked)).findIndex((hello) => hello?.isWritablePrimary);
      return at >= 0;
    }, Number.POSITIVE_INFINITY);
    return ports[at] as number;
  }

  const members = hosts.map((host, _id) => ({ _id, host }));
  await until(() =>
    onMember(ports[0] as number, (client) =>
      client.db('admin').command({ replSetInitiate: { _id: 'set', members, settings } }),
    ).then(
      () => true,
      () => false,
    ),
  );
  await primary();

  return {
    urlOf: (database: string) => `mongodb://${hosts.join(',')}/${database}?replicaSet=set`,

    /** Kills the primary as a power cut would, waits for another one, and starts the killed member again. */
    async killPrimary(): Promise<void> {
      const port = await primary();
      const child = running.get(port) as Child;
      child.kill();
      await child.exited;
      await primary();
      start(port);
    },
  };
}
