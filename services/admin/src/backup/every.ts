import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { storedBackups } from './stored-backups.ts';

const retryMs = 600_000;

/** Makes a backup whenever the newest one in the place is this old, for ever. A restart makes none too early. */
export async function every(
  periodMs: number,
  place: ObjectStore,
  make: () => Promise<void>,
  console: Console,
): Promise<never> {
  for (;;)
    try {
      const newest = (await storedBackups(place)).at(-1)?.at.getTime() ?? 0;
      const wait = newest + periodMs - Date.now();
      await (wait > 0 ? pause(wait) : make());
    } catch (error) {
      console.error(`Backup failed: ${(error as Error).message}. It is tried again`);
      await pause(Math.min(periodMs, retryMs));
    }
}
