import { type Cluster, ClusterRefusal } from './cluster.ts';
import { type ShardKey, shardKeys } from './collections.ts';

export interface Step {
  did: boolean;
  what: string;
}

const isSameKey = (one: ShardKey, other: ShardKey): boolean => JSON.stringify(one) === JSON.stringify(other);

export type Sharding = ReturnType<typeof sharding>;

interface Keys {
  /** Makes the clustered collections. */
  prepare(): Promise<unknown>;
  /** Makes records of the keys that an index of `entries` holds. */
  record(): Promise<void>;
}

/** The collections that grow, and the shards. Both throw ClusterRefusal. */
export function sharding(cluster: Cluster, keys: Keys) {
  return {
    /** Shards each collection by its key. May run any number of times, and die halfway. */
    async *shard(): AsyncGenerator<Step> {
      await keys.prepare();
      await cluster.enable();
      for (const [name, key] of Object.entries(shardKeys)) {
        const found = await cluster.keyOf(name);
        const by = JSON.stringify(key);
        if (found && !isSameKey(found, key))
          throw new ClusterRefusal(
            `${name} is sharded by ${JSON.stringify(found)}, and must be by ${by}: MongoDB's reshardCollection changes that`,
          );
        for (const index of await cluster.indexesAgainst(name, key)) {
          if (name === 'entries') await keys.record();
          await cluster.dropIndex(name, index);
          yield { did: true, what: `${name}: dropped the index ${index}, which shards cannot keep unique` };
        }
        if (!found) await cluster.shard(name, key);
        yield { did: !found, what: `${name} is sharded by ${by}` };
      }
    },

    /** What `shard` would change or refuse. */
    async faults(): Promise<string[]> {
      const faults: string[] = [];
      for (const [name, key] of Object.entries(shardKeys)) {
        const found = await cluster.keyOf(name);
        if (!found) faults.push(`${name} is not sharded`);
        else if (!isSameKey(found, key)) faults.push(`${name} is sharded by ${JSON.stringify(found)}`);
        for (const index of await cluster.indexesAgainst(name, key))
          faults.push(`${name} has the unique index ${index}`);
      }
      return faults;
    },
  };
}
