import { repeat } from '@sluice/shared/repeat.ts';
import type { KeyStore } from '@sluice/store/applications/keys.ts';

const writeEveryMs = 1_000;
const mostAtOnce = 10_000;

/** Notes when ingest keys were last used, aside: no upload waits for it. */
export function createKeyUses(keys: Pick<KeyStore, 'noteUse'>) {
  const used = new Set<string>();

  async function write(): Promise<void> {
    if (used.size === 0) return;
    const ids = [...used].slice(0, mostAtOnce);
    for (const id of ids) used.delete(id);
    try {
      await keys.noteUse(ids, new Date());
    } catch {
      // Again in a second.
      for (const id of ids) used.add(id);
    }
  }

  const stop = repeat(writeEveryMs, write);
  return {
    note: (id: string): void => void used.add(id),
    async close(): Promise<void> {
      stop();
      await write();
    },
  };
}
