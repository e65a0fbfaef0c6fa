import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { createDeliver, type DeliverDependencies } from './deliver.ts';
import { createPlaces } from './places.ts';

const lookEveryMs = 500;
/** Of one worker. A receiver that hangs takes one of them for 10 s, and from then on one of the few for those that failed. */
const atOnce = { usual: 24, failing: 8 };
/** More than a pass and its last request take. */
const leaseMs = 20_000;

/**
 * Delivers webhooks beside the jobs of the worker. All that is to be told is in MongoDB, so any worker goes on where another died.
 * Returns how to stop, before the store is closed.
 */
export function startWebhooks(dependencies: DeliverDependencies, log: Logger): () => Promise<void> {
  const { webhooks } = dependencies.store;
  const deliver = createDeliver(dependencies);
  const usual = { isFailing: false, places: createPlaces(atOnce.usual) };
  const failing = { isFailing: true, places: createPlaces(atOnce.failing) };
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

  async function fill({ isFailing, places }: typeof usual): Promise<void> {
    while (!places.isFull() && !isStopping) {
      const webhook = await webhooks.take(leaseMs, { isFailing, notOf: places.full() });
      if (!webhook) return;
      const one = places.hold(webhook.owner, work(webhook)).finally(() => {
        running.delete(one);
        // There is a place for the next one.
        void look();
      });
      running.add(one);
    }
  }

  let looking: Promise<void> | undefined;
  function look(): Promise<void> {
    looking ??= fill(usual)
      .then(() => fill(failing))
      .catch((error) => log.debug({ event: 'webhooks.missed', reason: error.message }))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  const stop = repeat(lookEveryMs, look);
  return async () => {
    isStopping = true;
    stop();
    await looking;
    await Promise.all(running);
  };
}
