import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { createCatalog } from './catalog.ts';
import { configDatabase } from './config-database.ts';
import { createFaults, type FaultOptions, type Faults } from './faults.ts';
import type { ShardKey } from './key-ranges.ts';
import { createPrimary } from './primary.ts';
import { type Asked, createRecord } from './record.ts';
import { serve } from './session.ts';
import { type Balancer, shardingCommands } from './sharding-commands.ts';
import { createTargets, type Target } from './targets.ts';

interface Options {
  /** Of the replica set. */
  url: string;
  /** The names of the shards. All their data is in the one replica set. */
  shards?: string[];
  /** Collections that are sharded by themselves, by name, in every database, with a chunk for each application. */
  sharded?: Record<string, ShardKey>;
  /** Whether a command of Sluice may ask all shards. */
  mayScatter?: (command: string, target: Target) => boolean;
}

/** A stand-in for `mongos`. See README.md. */
export async function startMongos({
  url,
  shards = ['shard-a', 'shard-b'],
  sharded = {},
  mayScatter = () => false,
}: Options) {
  const own = new MongoClient(url, { serverSelectionTimeoutMS: 2_000 });
  const hello = await own.db('admin').command({ hello: 1 });
  const catalog = createCatalog(shards, sharded);
  const balancer: Balancer = { mode: 'full' };
  const record = createRecord();
  const sockets = new Set<Socket>();
  let faults: Faults | undefined;

  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const config = configDatabase(own, `mongos_${port}_config`, catalog, balancer);
  const shared = {
    catalog,
    config,
    record,
    mayScatter,
    hello,
    primary: createPrimary(own),
    sharding: shardingCommands(catalog, own, balancer),
    targetsOf: createTargets(catalog),
    faults: () => faults,
  };
  server.on('connection', (socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    serve(socket, shared).catch(() => socket.destroy());
  });
  const { dbName } = own.options;

  return {
    url: `mongodb://127.0.0.1:${port}/${dbName}`,
    /** What commands of Sluice asked of sharded collections, since the last `forget`. */
    commands: (): Asked[] => record.all(),
    forget: () => record.clear(),
    isSharded: (ns: string): boolean => catalog.of(ns) !== undefined,
    /** From now on commands of Sluice fail at random. Returns how many did, by kind. */
    fail(options: FaultOptions): Record<string, number> {
      faults = createFaults(options);
      return faults.counts;
    },
    heal(): void {
      faults = undefined;
    },
    async stop(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
      await config.drop().catch(() => {});
      await own.close();
    },
  };
}

export type Mongos = Awaited<ReturnType<typeof startMongos>>;
