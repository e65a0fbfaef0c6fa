import type { Store } from '@sluice/jobs/connect.ts';
import { type ArchiveFolder, openArchiveFolder } from '@sluice/objects/open-store.ts';
import { questionsFolder } from '@sluice/store/archives/archive-records.ts';

/** Files for questions are removed this long after the last question. */
const unaskedMs = 7 * 86_400_000;
const everyMs = 3_600_000;

export async function removeAskedFolder(folder: ArchiveFolder, id: string): Promise<void> {
  const objects = openArchiveFolder(folder);
  await objects.removeFolder(`${questionsFolder}/${id}`).finally(objects.close);
}

/** Removes files for questions which nobody asks any more, and those of archives that are gone. May run in many processes at once. */
export function createCleanAsked(
  { askedArchives }: Pick<Store, 'askedArchives'>,
  folder: ArchiveFolder | undefined,
): () => Promise<void> {
  let nextAt = 0;

  return async function cleanAsked(): Promise<void> {
    if (folder === undefined || performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    const objects = openArchiveFolder(folder);
    // First, as an archive is there before its folder.
    const found = await objects.folders(questionsFolder).finally(objects.close);
    const used = new Set((await askedArchives.inUse(unaskedMs)).map(({ id }) => id));
    for (const id of found) if (!used.has(id)) await removeAskedFolder(folder, id);
  };
}
