import { connectStore } from '@sluice/jobs/connect.ts';

/** Shards what grows with entries, as `sluice-admin shard` does. */
export async function shardDatabase(url: string): Promise<void> {
  const store = connectStore({ url, timeoutMs: 60_000 }, 'sluice-test', 'patient');
  try {
    await store.prepare();
    await Array.fromAsync(store.sharding.shard());
  } finally {
    await store.close();
  }
}
