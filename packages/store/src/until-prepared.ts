import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Database } from './connect.ts';
import { IncompatibleDatabase } from './migrations/incompatible-database.ts';

/**
 * Prepares the store as soon as MongoDB answers and no restore or upgrade is under way. False when `signal` was aborted before. Throws
 * IncompatibleDatabase.
 */
export async function untilPrepared(
  { prepare }: Pick<Database, 'prepare'>,
  log: Logger,
  signal?: AbortSignal,
): Promise<boolean> {
  while (!signal?.aborted) {
    try {
      await prepare();
      return true;
    } catch (error) {
      if (error instanceof IncompatibleDatabase) throw error;
      log.warn({ event: 'mongodb.away', reason: (error as Error).message }, 'waiting for MongoDB');
      await pause(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
