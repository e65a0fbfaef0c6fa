import { connectStore, type Store } from '@sluice/jobs/connect.ts';
import type { Bench } from './bench.ts';

/** Works directly with the store of the services. */
export async function withStore<T>(
  bench: Bench,
  database: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const url = bench.databaseUrl(database);
  const store = connectStore({ url, timeoutMs: 10_000 }, 'sluice-bench', 'patient');
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** In hexadecimal digits. */
export async function applicationId({ applications }: Store, domain: string): Promise<string> {
  const record = await applications.byDomain(domain);
  if (!record) throw new Error(`there is no application ${domain}`);
  return record.id;
}

/** Sets the milestones of all entries, as ingest workers do a minute after the upload. Resolves with their number. */
export const setMilestones = (bench: Bench, database: string, application: string): Promise<number> =>
  withStore(bench, database, ({ milestones }) =>
    milestones.set(application, Date.now(), Number.POSITIVE_INFINITY),
  );
