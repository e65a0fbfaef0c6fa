import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowPort } from '../../support/low-port.ts';
import { type SharedSluice, sharedSluice } from '../../support/sluice.ts';

/** The folder of archives. Test files share it, as they share the Sluice. */
export const archiveFolder = join(tmpdir(), 'sluice-console-archive');

/** Where a test can start a query worker. */
let queryPort: Promise<number> | undefined;

/** The Sluice of most files, whose owners have names of their own. */
export async function consoleSluice(): Promise<SharedSluice> {
  queryPort ??= lowPort();
  return sharedSluice({
    env: {
      DELETION_GRACE: '7d',
      OUTBOUND_ALLOW: '127.0.0.1',
      ARCHIVE_FOLDER: archiveFolder,
      QUERY_URL: `http://127.0.0.1:${await queryPort}`,
    },
  });
}
