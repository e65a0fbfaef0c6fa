import { createServer, type Server } from 'node:http';
import type { Logger } from '../logger.ts';
import { repeat } from '../repeat.ts';
import { type Consumer, consume, type Handler } from './consumer.ts';
import type { QueueDefinition } from './definition.ts';
import type { Producer } from './producer.ts';
import type { RedisConfig } from './redis.ts';

const sweepEveryMs = 5_000;
/** Jobs wait, none is in hand, and nothing happened for `deafMs`: this worker is deaf. */
const watching = { everyMs: 10_000, deafMs: 60_000 };

// biome-ignore lint/suspicious/noExplicitAny: a task pairs a queue with a handler of the same payload
interface Task<Payload = any> {
  definition: QueueDefinition<Payload>;
  handler: Handler<Payload>;
  queue: Producer<Payload>;
}

interface Options {
  config: { redis: RedisConfig; concurrency: number; healthPort: number };
  log: Logger;
  tasks: Task[];
  /** Puts back what the queue lost; called again and again. */
  sweep(): Promise<void>;
  /** Called last when the worker stops. */
  release(): Promise<void>;
  /** How often a worker that went deaf is looked for, and after how long it is taken for one. */
  watch?: { everyMs: number; deafMs: number };
}

export interface RunningWorker {
  /** Hands back what is in hand and lets go of everything. */
  stop(): Promise<void>;
}

async function listen(port: number): Promise<Server | undefined> {
  if (port === 0) return undefined;
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/health/live' ? 200 : 404;
    response.end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return server;
}

/** Runs the consumers of a worker process, its sweep, and a watch that ends a process that went deaf. */
export async function startWorker({
  config,
  log,
  tasks,
  sweep,
  release,
  watch = watching,
}: Options): Promise<RunningWorker> {
  const server = await listen(config.healthPort);
  const consumers = tasks.map(({ definition, handler }) => consume(definition, handler, { ...config, log }));

  async function isDeaf(consumer: Consumer, queue: Task['queue']): Promise<boolean> {
    const { active, lastAt } = consumer.activity();
    if (active > 0 || performance.now() - lastAt < watch.deafMs) return false;
    const waiting = await queue.waiting().catch(() => 0);
    return waiting > 0 && consumer.activity().lastAt === lastAt;
  }

  const stopSweep = repeat(sweepEveryMs, () =>
    sweep().catch((error) => log.debug({ event: 'sweep.missed', reason: error.message })),
  );
  /** Since when they do nothing. A job may have come a moment before a look, so it takes two to know. */
  const suspects = new Map<Consumer, number>();
  const stopWatch = repeat(watch.everyMs, async () => {
    for (const [place, consumer] of consumers.entries()) {
      const { lastAt } = consumer.activity();
      if (!(await isDeaf(consumer, (tasks[place] as Task).queue))) continue;
      if (suspects.get(consumer) !== lastAt) {
        suspects.set(consumer, lastAt);
        continue;
      }
      log.fatal(
        { event: 'worker.deaf', queue: consumer.name },
        'jobs wait but none arrives: ending, to be restarted',
      );
      process.exit(1);
    }
  });

  return {
    async stop() {
      stopSweep();
      stopWatch();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      server?.close();
      await release();
    },
  };
}
