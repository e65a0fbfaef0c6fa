import { once } from 'node:events';
import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { allQueues, type QueueDefinition } from '@sluice/jobs/queue/queues.ts';
import type { Redis, RedisConfig } from '@sluice/jobs/queue/redis.ts';
import { loadAdminConfig } from '@sluice/shared/config/load.ts';
import { printRows } from '@sluice/shared/terminal/print.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { AdminError } from '../admin-error.ts';
import { openRedis } from '../inspect-redis.ts';
import { log } from '../log.ts';
import type { AdminTerminal } from '../terminal.ts';

/** `sluice-admin queues`. */
export function addQueues(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  program
    .command('queues')
    .description('Show what waits on the queues, for how long, and the workers that are connected.')
    .option('--json', 'as JSON')
    .option('--serve <port>', 'show their jobs in a browser on this machine, until Ctrl-C', toPort)
    .addHelpText('after', '\nExample: sluice-admin queues --serve 4100')
    .action(async ({ json, serve }: { json?: boolean; serve?: number }) => {
      const config = loadAdminConfig(terminal.env).redis();
      const redis = await openRedis(config, log);
      try {
        if (serve !== undefined) await show(redis, config, serve, console);
        else
          printRows(
            console,
            await Promise.all(allQueues.map((definition) => look(definition, redis, config))),
            json,
          );
      } finally {
        redis.disconnect();
      }
    });
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return port;
}

/** Resolves at a signal to stop. */
async function show(redis: Redis, config: RedisConfig, port: number, console: Console): Promise<void> {
  const { openQueueConsole } = await import('./console.ts');
  const { url, username, password, close } = await openQueueConsole(redis, config, port).catch((error) => {
    throw new AdminError(`the port is taken or not allowed: ${error.message}`);
  });
  console.log(`${url}  user ${username}  password ${password}`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await close();
}

async function look(definition: QueueDefinition<unknown>, redis: Redis, config: RedisConfig) {
  const queue = createProducer(definition, redis, config, log);
  const [{ jobs, oldestMs }, workers] = await Promise.all([queue.backlog(), queue.workers()]);
  const oldest_waiting_seconds = Math.round(oldestMs / 1_000);
  return { queue: definition.name, ...jobs, oldest_waiting_seconds, workers };
}
