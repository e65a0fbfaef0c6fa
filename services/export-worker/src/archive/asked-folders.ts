import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '@sluice/jobs/connect.ts';
import { questionsFolder } from '@sluice/store/archives/archive-records.ts';

/** Files for questions are removed this long after the last question. */
const unaskedMs = 7 * 86_400_000;
const everyMs = 3_600_000;

export const removeAskedFolder = (folder: string, id: string): Promise<void> =>
  rm(join(folder, questionsFolder, id), { recursive: true, force: true });

/** Removes files for questions which nobody asks any more, and those of archives that are gone. May run in many processes at once. */
export function createCleanAsked(
  { askedArchives }: Pick<Store, 'askedArchives'>,
  folder: string | undefined,
): () => Promise<void> {
  let nextAt = 0;

  return async function cleanAsked(): Promise<void> {
    if (folder === undefined || performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    // First, as an archive is there before its folder.
    const found = await readdir(join(folder, questionsFolder)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    const used = new Set((await askedArchives.inUse(unaskedMs)).map(({ id }) => id));
    for (const id of found) if (!used.has(id)) await removeAskedFolder(folder, id);
  };
}
