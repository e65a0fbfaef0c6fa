import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { createPlaces, type Places } from '../places.ts';
import { createDeliver, type DeliverDependencies } from './deliver.ts';

const lookEveryMs = 500;
/** Turns of one worker. A receiver that hangs takes one for 10 s, and later one of the few for failed receivers. */
const atOnce = { usual: 24, failing: 8 };
/** More than a pass and its last request take. */
const leaseMs = 20_000;

interface Pool {
  isFailing: boolean;
  places: Places;
  /** The owner of the last webhook that was taken. */
  last?: string;
  looking?: Promise<void> | undefined;
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

  /** Beside busy owners others go first, and busy ones take turns: whoever has thousands due delays nobody. */
  async function next({ isFailing, places, last: after }: Pool): Promise<TakenWebhook | undefined> {
    const busy = places.busy();
    if (busy.length === 0) return webhooks.take(leaseMs, { isFailing });
    if (!places.isKnownNone(busy)) {
      const found = await webhooks.take(leaseMs, { isFailing, notOf: busy, after });
      if (found) return found;
      places.noteNone(busy);
    }
    const full = places.full();
    const of = busy.filter((owner) => !full.includes(owner));
    if (of.length === 0) return undefined;
    return webhooks.take(leaseMs, { isFailing, of, after: of.length > 1 ? after : undefined });
  }

  async function fill(pool: Pool): Promise<void> {
    while (!pool.places.isFull() && !isStopping) {
      const webhook = await next(pool);
      if (!webhook) return;
      pool.last = webhook.owner;
      const one = pool.places.hold(webhook.owner, work(webhook)).finally(() => {
        running.delete(one);
        // There is a place for the next one.
        void look(pool);
      });
      running.add(one);
    }
  }

  function look(pool: Pool): Promise<void> {
    pool.looking ??= fill(pool)
      .catch((error) => log.debug({ event: 'webhooks.missed', reason: error.message }))
      .finally(() => {
        pool.looking = undefined;
      });
    return pool.looking;
  }

  const stop = repeat(lookEveryMs, async () => {
    for (const pool of pools) {
      pool.places.nextTurn();
      void look(pool);
    }
  });
  return async () => {
    isStopping = true;
    stop();
    await Promise.all(pools.map(({ looking }) => looking));
    await Promise.all(running);
  };
}
