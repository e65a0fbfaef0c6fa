import { totalmem } from 'node:os';
import { join } from 'node:path';
import { localStores } from '@sluice/shared/config/local-stores.ts';
import { mongod } from './find.ts';
import { makePrimary } from './replica-set.ts';
import { runOverFolder } from './run-over-folder.ts';
import { type Store, type StoreOptions, usedAsIs } from './store.ts';

/** A MongoDB replica set of one node, as transactions need a replica set. */
export async function startMongodb(options: StoreOptions): Promise<Store> {
  if (options.url) return usedAsIs(options.url, mongod.variable);
  const dbpath = join(options.dataDir, 'mongodb');
  const shared = [
    ...['--replSet', 'sluice', '--wiredTigerCacheSizeGB', cacheGigabytes(), '--oplogSize', '1024'],
    // After a crash MongoDB replays all writes since the last checkpoint: by default up to a minute of uploads.
    ...['--syncdelay', '10'],
    // The log of a slow insert would show its payload.
    ...['--slowms', '86400000'],
    // By default MongoDB waits 15 s for another member to take over.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ];
  const url = localStores.mongod;
  return runOverFolder({
    name: 'mongod',
    rank: 1,
    kind: mongod,
    folder: dbpath,
    ...options,
    url,
    programArgs: (port) => [
      ...['--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
      ...shared,
    ],
    container: {
      inside: 27017,
      mount: { source: dbpath, target: '/data/db' },
      args: ['--bind_ip_all', ...shared],
    },
    prepare: (port, inside, alive) => makePrimary(url(port), `127.0.0.1:${inside}`, alive),
  });
}

/** An eighth of the memory, from 0.25 to 2 GB. By default MongoDB would take half. */
const cacheGigabytes = () => Math.min(2, Math.max(0.25, totalmem() / 1024 ** 3 / 8)).toFixed(2);
