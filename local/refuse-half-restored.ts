import { connectStore } from '@sluice/jobs/connect.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { StartError } from './start-error.ts';

/** Throws StartError while the database holds only part of a backup: the services would wait, and say why only in their logs. */
export async function refuseHalfRestored(mongodbUrl: string): Promise<void> {
  const store = connectStore({ url: mongodbUrl, timeoutMs: 10_000 }, 'sluice-start', 'impatient');
  try {
    await store.backup.refuseHalfRestored();
  } catch (error) {
    // For a MongoDB that is away the services wait.
    if (error instanceof HalfRestored)
      throw new StartError(`${error.message}; \`npm start -- --stores\` starts MongoDB alone`);
  } finally {
    await store.close();
  }
}
