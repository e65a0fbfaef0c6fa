import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { createDeliver, type DeliverDependencies } from './deliver.ts';

const lookEveryMs = 500;
/** Of one worker. A receiver that hangs takes one of them for 10 s. */
const atOnce = 32;
/** More than a pass and its last request take. */
const leaseMs = 20_000;

/**
 * Delivers webhooks beside the jobs of the worker. All that is to be told is in MongoDB, so any worker goes on where another died.
 * Returns how to stop, before the store is closed.
 */
export function startWebhooks(dependencies: DeliverDependencies, log: Logger): () => Promise<void> {
  const { webhooks } = dependencies.store;
  const deliver = createDeliver(dependencies);
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

  async function look(): Promise<void> {
    while (running.size < atOnce && !isStopping) {
      const webhook = await webhooks.take(leaseMs);
      if (!webhook) return;
      const one = work(webhook).finally(() => running.delete(one));
      running.add(one);
    }
  }

  const stop = repeat(lookEveryMs, () =>
    look().catch((error) => log.debug({ event: 'webhooks.missed', reason: error.message })),
  );
  return async () => {
    isStopping = true;
    stop();
    await Promise.all(running);
  };
}
