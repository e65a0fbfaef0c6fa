import type { Store } from '@sluice/jobs/connect.ts';
import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Mail } from '@sluice/store/alerts/mails.ts';
import { createCompose } from './compose.ts';
import { createSend } from './transport.ts';

const atOnce = 4;
/** More than the server may take for one mail. */
const leaseMs = 120_000;
/** Waits after failed tries, as multiples of the first, which is 30 s. The last one is 15 min. */
const waits = [1, 2, 4, 10, 30];

interface Dependencies {
  store: Store;
  /** Undefined: no mails are sent. */
  mail: IngestWorkerConfig['mail'];
  metrics: Pick<Metrics, 'count'>;
  log: Logger;
  /** How often the outbox is looked at. */
  mailsMs: number;
  /** The first wait after a failed try, and how long a server is left alone that cannot be reached. */
  retryMs: number;
}

/** Sends what is in the outbox, beside the jobs of the worker. Returns how to stop, before the store is closed. */
export function startMails({
  store,
  mail: config,
  metrics,
  log,
  mailsMs,
  retryMs,
}: Dependencies): () => Promise<void> {
  const { mails } = store;
  const counter = (result: string) => metrics.count('sluice_mails_total', { result });
  const count = { sent: counter('sent'), failed: counter('failed'), refused: counter('refused') };
  if (!config) return async () => undefined;
  const compose = createCompose(store, config.publicUrl);
  const send = createSend(config);
  let isStopping = false;
  /** Until then the server is left alone. */
  let downUntil = 0;

  async function work(mail: Mail): Promise<void> {
    const letter = await compose(mail);
    const failure = letter && (await send(mail.id, letter));
    if (!failure) {
      if (letter) count.sent();
      return mails.end(mail);
    }
    const { isFinal, isDown, reason } = failure;
    log.warn({ event: isFinal ? 'mail.refused' : 'mail.failed', mail: mail.id, reason });
    if (isFinal) {
      count.refused();
      return mails.end(mail);
    }
    count.failed();
    if (isDown) downUntil = performance.now() + retryMs;
    const wait = isDown ? 1 : (waits[Math.min(mail.attempts, waits.length) - 1] as number);
    await mails.retry(mail, wait * retryMs);
  }

  async function sendDue(): Promise<void> {
    while (!isStopping && performance.now() >= downUntil) {
      const mail = await mails.take(leaseMs);
      if (!mail) return;
      await work(mail);
    }
  }

  let sending = Promise.resolve();
  const stop = repeat(mailsMs, async () => {
    const missed = (error: Error) => log.debug({ event: 'mails.missed', reason: error.message });
    sending = Promise.all(Array.from({ length: atOnce }, () => sendDue().catch(missed))).then(() => {});
    await sending;
  });
  return async (): Promise<void> => {
    isStopping = true;
    stop();
    await sending;
  };
}
