import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SharedSluice, sharedSluice } from '../../support/sluice.ts';

/** The folder of archives. Test files share it, as they share the Sluice. */
export const archiveFolder = join(tmpdir(), 'sluice-console-archive');

/** The Sluice of most files, whose owners have names of their own. */
export const consoleSluice = (): Promise<SharedSluice> =>
  sharedSluice({
    env: { DELETION_GRACE: '7d', OUTBOUND_ALLOW: '127.0.0.1', ARCHIVE_FOLDER: archiveFolder },
  });
