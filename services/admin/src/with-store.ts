import { connectStore, type Store } from '@sluice/jobs/connect.ts';
import { type AdminConfig, loadAdminConfig } from '@sluice/shared/config/load.ts';
import type { AdminTerminal } from './terminal.ts';

/** The stores of a command. */
export type Opened = [store: Store, config: AdminConfig, terminal: AdminTerminal];

/** The action of a command that needs the store, with the arguments and options of the command. */
export const actOn =
  (terminal: AdminTerminal) =>
  <Given extends unknown[]>(work: (opened: Opened, ...given: Given) => Promise<void>) =>
  (...given: Given): Promise<void> =>
    withStore(terminal, (...opened) => work(opened, ...given));

/** Opens the store for a command, and closes it afterwards. Throws ConfigError. */
export async function withStore(
  terminal: AdminTerminal,
  work: (...opened: Opened) => Promise<void>,
): Promise<void> {
  const config = loadAdminConfig(terminal.env);
  const store = connectStore(config.mongodb, 'sluice-admin', 'patient');
  try {
    await work(store, config, terminal);
  } finally {
    await store.close();
  }
}
