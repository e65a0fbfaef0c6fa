import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { forever } from '../forever.ts';
import { storedBackups } from './stored-backups.ts';

const retryMs = 600_000;

/** Makes a backup whenever the newest one in the place is this old, for ever. A restart makes none too early. */
export const every = (
  periodMs: number,
  place: ObjectStore,
  make: () => Promise<void>,
  console: Console,
): Promise<never> =>
  forever({ what: 'Backup', retryMs: Math.min(periodMs, retryMs), console }, async () => {
    const newest = (await storedBackups(place)).at(-1)?.at.getTime() ?? 0;
    const waitMs = newest + periodMs - Date.now();
    if (waitMs > 0) return waitMs;
    await make();
    return 0;
  });
