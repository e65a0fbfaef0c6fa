import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { createDeliver, type DeliverDependencies } from './deliver.ts';
import { createPlaces, type Places } from './places.ts';

const lookEveryMs = 500;
/** Of one worker. A receiver that hangs takes one of them for 10 s, and from then on one of the few for those that failed. */
const atOnce = { usual: 24, failing: 8 };
/** More than a pass and its last request take. */
const leaseMs = 20_000;

interface Pool {
  isFailing: boolean;
  places: Places;
  /** The owner who had the last turn beside owners that have enough. */
  last?: string;
}

/**
 * Delivers webhooks beside the jobs of the worker. All that is to be told is in MongoDB, so any worker goes on where another died.
 * Returns how to stop, before the store is closed.
 */
export function startWebhooks(dependencies: DeliverDependencies, log: Logger): () => Promise<void> {
  const { webhooks } = dependencies.store;
  const deliver = createDeliver(dependencies);
  const pools: Pool[] = [
    { isFailing: false, places: createPlaces(atOnce.usual) },
    { isFailing: true, places: createPlaces(atOnce.failing) },
  ];
  const running = new Set<Promise<void>>();
  let isStopping = false;

  async function work(webhook: TakenWebhook): Promise<void> {
    try {
      await webhooks.release(webhook, await deliver(webhook));
    } catch (error) {
      // Its lease ends by itself.
      log.warn({ event: 'webhook.failed', webhook: webhook.id, reason: (error as Error).message });
    }
  }

  async function fill(pool: Pool): Promise<void> {
    const { isFailing, places } = pool;
    while (!places.isFull() && !isStopping) {
      const notOf = places.full();
      if (places.isKnownNone(notOf)) return;
      const webhook = await webhooks.take(leaseMs, { isFailing, notOf, after: pool.last });
      if (!webhook) return places.noteNone(notOf);
      if (notOf.length > 0) pool.last = webhook.owner;
      const one = places.hold(webhook.owner, work(webhook)).finally(() => {
        running.delete(one);
        // There is a place for the next one.
        void look();
      });
      running.add(one);
    }
  }

  async function fillAll(): Promise<void> {
    for (const pool of pools) await fill(pool);
  }

  let looking: Promise<void> | undefined;
  function look(): Promise<void> {
    looking ??= fillAll()
      .catch((error) => log.debug({ event: 'webhooks.missed', reason: error.message }))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  const stop = repeat(lookEveryMs, () => {
    for (const { places } of pools) places.forgetNone();
    return look();
  });
  return async () => {
    isStopping = true;
    stop();
    await looking;
    await Promise.all(running);
  };
}
