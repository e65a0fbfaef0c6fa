import { within } from '@sluice/shared/deadline.ts';
import type { Observe } from '@sluice/shared/metrics/metrics.ts';
import { type Metrics, scrapeMs } from '@sluice/shared/metrics/metrics.ts';
import { type Db, type MongoClient, MongoNetworkError } from 'mongodb';
import { Connection } from 'mongodb/lib/cmap/connection.js';

/** As the driver expects it of a connection that breaks. While it writes, it passes on what the socket says: then it would not try again. */
function toNetworkError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const isOfSocket = code === 'EPIPE' || code === 'ECONNRESET';
  return isOfSocket ? new MongoNetworkError(message, { cause: error as Error }) : error;
}

/** Commands that have series of their own. */
const named = ['insert', 'find', 'getMore', 'aggregate', 'update', 'delete', 'findAndModify'];

/**
 * The class of the driver's connections, which measures each command by its name. The driver's own events of commands would do, but
 * decode every reply, also those that are read as bytes.
 */
export function timedConnections(metrics: Metrics) {
  const observe = (command: string) => metrics.observe('sluice_mongo_command_duration_seconds', { command });
  const other = observe('other');
  const byName = new Map<string, Observe>(named.map((command) => [command, observe(command)]));
  // It asks for the state of a server, and may wait for a change of it.
  byName.set('hello', () => {});

  return class extends Connection {
    override async command(...args: Parameters<Connection['command']>): Promise<unknown> {
      const [name = ''] = Object.keys(args[1]);
      const began = performance.now();
      try {
        return await super.command(...args);
      } catch (error) {
        throw toNetworkError(error);
      } finally {
        (byName.get(name) ?? other)((performance.now() - began) / 1_000);
      }
    }
  };
}

/** Counts the client's connections, by the driver's events. */
export function monitorPool(client: MongoClient, metrics: Metrics): void {
  let open = 0;
  let inUse = 0;
  let waiting = 0;
  client
    .on('connectionCreated', () => open++)
    .on('connectionClosed', () => open--)
    .on('connectionCheckOutStarted', () => waiting++)
    .on('connectionCheckOutFailed', () => waiting--)
    .on('connectionCheckedOut', () => {
      waiting--;
      inUse++;
    })
    .on('connectionCheckedIn', () => inUse--);
  metrics.gauge('sluice_mongo_pool_connections', () => [
    { value: open - inUse, labels: { state: 'idle' } },
    { value: inUse, labels: { state: 'in_use' } },
    { value: waiting, labels: { state: 'waiting' } },
  ]);
}

/** Asks at each scrape whether a primary answers. */
export function monitorPrimary(db: Db, metrics: Metrics): void {
  metrics.gauge('sluice_mongo_primary_up', async () => {
    const hello = await within(scrapeMs, 'MongoDB does not answer', db.command({ hello: 1 })).catch(
      () => undefined,
    );
    return [{ value: hello?.isWritablePrimary ? 1 : 0, labels: {} }];
  });
}
