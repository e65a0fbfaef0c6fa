import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { questionSettings } from '../../support/questions.ts';
import { type SharedSluice, sharedSluice } from '../../support/sluice.ts';

/** The folder of archives. Test files share it, as they share the Sluice. */
export const archiveFolder = join(tmpdir(), 'sluice-console-archive');

/** A test can start the query worker. */
let questions: ReturnType<typeof questionSettings> | undefined;

/** The Sluice of most files, whose owners have names of their own. */
export async function consoleSluice(): Promise<SharedSluice> {
  questions ??= questionSettings();
  return sharedSluice({
    env: {
      DELETION_GRACE: '7d',
      OUTBOUND_ALLOW: '127.0.0.1',
      ARCHIVE_FOLDER: archiveFolder,
      ...(await questions),
    },
  });
}
