import type { Target } from './targets.ts';

/** Commands that asked the same. */
export interface Asked {
  command: string;
  collection: string;
  /** Names of fields alone. */
  shape: string;
  /** How many shards they asked at most. */
  shards: number;
  chunks: number;
  /** Whether they name a range of the shard key: else all shards are asked. */
  isNamed: boolean;
  times: number;
}

/** Counts commands by what they ask. */
export function createRecord() {
  let asked = new Map<string, Asked>();

  return {
    add(command: string, { sharded, shape, isNamed, chunks }: Target): void {
      const collection = sharded.ns.slice(sharded.ns.indexOf('.') + 1);
      const key = `${command} ${collection} ${shape} ${isNamed}`;
      const one = asked.get(key) ?? { command, collection, shape, isNamed, shards: 0, chunks: 0, times: 0 };
      one.times += 1;
      one.shards = Math.max(one.shards, new Set([...chunks].map(({ shard }) => shard)).size);
      one.chunks = Math.max(one.chunks, chunks.size);
      asked.set(key, one);
    },
    all: (): Asked[] => [...asked.values()],
    clear(): void {
      asked = new Map();
    },
  };
}
