import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from './connect.ts';

/** Prepares the store as soon as MongoDB answers and no restore is under way. False when `signal` was aborted before. */
export async function untilPrepared(
  { prepare }: Pick<Store, 'prepare'>,
  log: Logger,
  signal?: AbortSignal,
): Promise<boolean> {
  while (!signal?.aborted) {
    try {
      await prepare();
      return true;
    } catch (error) {
      log.warn({ event: 'mongodb.away', reason: (error as Error).message }, 'waiting for MongoDB');
      await pause(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}
