import { openRedis } from '@sluice/queues/inspect-redis.ts';
import { createProducer } from '@sluice/queues/producer.ts';
import {
  exportsQueue,
  importsQueue,
  invalidationsQueue,
  purgesQueue,
  type QueueDefinition,
} from '@sluice/queues/queues.ts';
import type { Redis, RedisConfig } from '@sluice/queues/redis.ts';
import { loadAdminConfig } from '@sluice/shared/config/load.ts';
import type { Command } from 'commander';
import { log } from './log.ts';
import { printRows } from './print.ts';

/** `sluice-admin queues`. */
export function addQueues(program: Command): void {
  program
    .command('queues')
    .description('Show what waits on the queues, for how long, and the workers that are connected.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin queues')
    .action(async ({ json }: { json?: boolean }) => {
      const config = loadAdminConfig().redis();
      const redis = await openRedis(config, log);
      try {
        printRows(await Promise.all(all.map((definition) => look(definition, redis, config))), json);
      } finally {
        redis.disconnect();
      }
    });
}

// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
const all: QueueDefinition<any>[] = [exportsQueue, importsQueue, purgesQueue, invalidationsQueue];

async function look(definition: QueueDefinition<unknown>, redis: Redis, config: RedisConfig) {
  const queue = createProducer(definition, redis, config, log);
  const [{ jobs, oldestMs }, workers] = await Promise.all([queue.backlog(), queue.workers()]);
  const oldest_waiting_seconds = Math.round(oldestMs / 1_000);
  return { queue: definition.name, ...jobs, oldest_waiting_seconds, workers };
}
