import type { Redis } from 'ioredis';
import { keyPrefix, type RedisConfig } from './redis.ts';

export interface Addition {
  key: string;
  by: number;
  /** From now on it is kept so long. */
  keepMs: number;
}

/** Sums that all processes add to. */
export interface SharedTotals {
  /**
   * What each is with its addition. Rejects at once while Redis is away; where Redis is mute it takes as long as that
   * lasts. When it rejects, Redis may have added them or not.
   */
  add(additions: Addition[]): Promise<number[]>;
}

export function createSharedTotals(redis: Redis, config: RedisConfig, name: string): SharedTotals {
  return {
    async add(additions) {
      const pipeline = redis.pipeline();
      for (const { key, by, keepMs } of additions) {
        const full = `${keyPrefix(config)}:${name}:${key}`;
        pipeline.incrby(full, by).pexpire(full, keepMs);
      }
      const answers = (await pipeline.exec()) ?? [];
      return additions.map((_, i) => {
        const [error, total] = answers[2 * i] as [Error | null, unknown];
        if (error) throw error;
        return Number(total);
      });
    },
  };
}
