import { loadAdminConfig } from '@sluice/shared/config/load.ts';
import { connectStore, type Store } from '@sluice/store/connect.ts';

/** Opens the store for a command, and closes it. Throws ConfigError. */
export async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = connectStore(loadAdminConfig().mongodb, 'sluice-admin', 'patient');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
