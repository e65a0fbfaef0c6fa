import { connectStore } from '@sluice/jobs/connect.ts';
import { type Db, MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { ownStores } from './sluice.ts';

/** A new database without the store around it. It is not dropped, as that takes time. */
export async function ownDatabase(): Promise<{ db: Db; url: string }> {
  const url = ownStores().MONGODB_URL as string;
  const client = new MongoClient(url);
  const db = client.db();
  onTestFinished(() => client.close());
  return { db, url };
}

/** A store that is closed when the test ends. */
export function openStore(url: string, timeoutMs = 60_000) {
  const store = connectStore({ url, timeoutMs }, 'sluice-test', 'impatient');
  onTestFinished(() => store.close());
  return store;
}

/** The same MongoDB behind a proxy. */
export function throughProxy(url: string, proxy: { host: string; port: number }): string {
  const changed = new URL(url);
  changed.hostname = proxy.host;
  changed.port = String(proxy.port);
  changed.searchParams.set('directConnection', 'true');
  return changed.href;
}
