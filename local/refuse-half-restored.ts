import { connectStore } from '@sluice/jobs/connect.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { StartError } from './start-error.ts';

/** Throws StartError if a backup was only partly restored. Services would only wait, and log the reason. */
export async function refuseHalfRestored(mongodbUrl: string): Promise<void> {
  const store = connectStore({ url: mongodbUrl, timeoutMs: 10_000 }, 'sluice-start', 'impatient');
  try {
    await store.backup.refuseHalfRestored();
  } catch (error) {
    // Services wait for a MongoDB that does not answer.
    if (error instanceof HalfRestored)
      throw new StartError(`${error.message}; \`npm start -- --stores\` starts MongoDB alone`);
  } finally {
    await store.close();
  }
}
