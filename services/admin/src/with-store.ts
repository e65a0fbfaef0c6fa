import { connectStore, type Store } from '@sluice/jobs/connect.ts';
import { type AdminConfig, loadAdminConfig } from '@sluice/shared/config/load.ts';

/** Opens the store for a command, and closes it. Throws ConfigError. */
export async function withStore(work: (store: Store, config: AdminConfig) => Promise<void>): Promise<void> {
  const config = loadAdminConfig();
  const store = connectStore(config.mongodb, 'sluice-admin', 'patient');
  try {
    await work(store, config);
  } finally {
    await store.close();
  }
}
