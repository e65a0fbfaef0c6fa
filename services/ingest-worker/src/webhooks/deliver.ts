import type { Store } from '@sluice/jobs/connect.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Waiting } from '@sluice/store/webhooks/deliveries.ts';
import type { Rest } from '@sluice/store/webhooks/turns.ts';
import type { Attempt, TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { bodyOf } from './content.ts';
import { createReadNews } from './news.ts';
import type { Post } from './post.ts';
import { signatures } from './sign.ts';

const secondMs = 1_000;
/** Waits after failed tries, as multiples of the first, which is 5 s. The last one is 2 h. */
const waits = [1, 6, 24, 120, 360, 720, 1_440];
const randomly = () => 1 + 0.2 * Math.random();
const giveUpMs = 72 * 3_600 * secondMs;
const gone = 410;

/** There may be entries below the horizon soon. */
const openMs = 400;
/** Nothing new. Whoever makes news makes the webhook due; this is for a process that died just then. */
const idleMs = 120 * secondMs;
const minuteMs = 60 * secondMs;
/** After it, other webhooks get the worker. */
const passMs = 2 * secondMs;
const keptDeliveries = 500;

interface Ready {
  webhook: TakenWebhook;
  application: ApplicationRecord;
}

export interface DeliverDependencies {
  store: Store;
  post: Post;
  metrics: Pick<Metrics, 'count'>;
  /** The first wait after a failed try. */
  retryMs: number;
}

/** Tells a webhook what it waits for, in order. Resolves with when to look again, in ms. */
export function createDeliver({ store, post, metrics, retryMs }: DeliverDependencies) {
  const { alerts, applications, users, webhooks, deliveries } = store;
  const readNews = createReadNews(store);
  const counter = (result: string) => metrics.count('sluice_webhook_deliveries_total', { result });
  const count = { delivered: counter('delivered'), failed: counter('failed') };

  async function attempt({ url, secrets }: TakenWebhook, delivery: Waiting, body: string): Promise<Attempt> {
    const at = new Date();
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    const id = `msg_${delivery.id}`;
    const seconds = Math.floor(at.getTime() / secondMs);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Sluice',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures(
        secrets.map(({ secret }) => secret),
        id,
        seconds,
        body,
      ),
    };
    try {
      const { status, body: answer } = await post(url, headers, body);
      const error = status >= 300 && status < 400 ? 'redirects are not followed' : undefined;
      return { at, ms: ms(), status, ...(error && { error }), ...(answer && { body: answer }) };
    } catch (error) {
      return { at, ms: ms(), error: (error as Error).message };
    }
  }

  /** The webhook and its application as they are now, unless nothing may be sent. */
  async function asTheyAre(taken: TakenWebhook): Promise<Ready | Rest> {
    const application = await applications.byId(taken.application);
    // Whoever restores it, or enables its owner, makes the webhook due.
    const isOff = !application || (await users.disabledAmong([application.owner.id])).size > 0;
    if (isOff) return { inMs: idleMs };
    // Last, so that a pause holds from its answer on.
    const webhook = await webhooks.current(taken);
    return webhook ? { webhook, application } : { inMs: 0 };
  }

  /** Undefined: it was delivered. */
  async function send(
    webhook: TakenWebhook,
    application: ApplicationRecord,
    delivery: Waiting,
  ): Promise<Rest | undefined> {
    const body = await bodyOf(store, application, webhook, delivery);
    if (body === undefined) {
      const none = { at: new Date(), ms: 0, error: 'its entries were deleted' };
      await deliveries.note(delivery, 'delivered', none, none.at);
      return undefined;
    }
    // It may have been paused since the last request, or its secret rotated.
    const ready = await asTheyAre(webhook);
    if ('inMs' in ready) return ready;
    const last = await attempt(ready.webhook, delivery, body);
    const triedSince = delivery.triedSince ?? last.at;
    const { status = 0 } = last;
    if (status >= 200 && status < 300) {
      await deliveries.note(delivery, 'delivered', last, triedSince);
      count.delivered();
      return undefined;
    }
    count.failed();
    const reason =
      status === gone
        ? 'the receiver answered 410 Gone'
        : last.at.getTime() - triedSince.getTime() >= giveUpMs
          ? `nothing could be delivered for 3 days: ${last.error ?? `status ${status}`}`
          : undefined;
    await deliveries.note(delivery, 'waiting', last, triedSince);
    if (reason) await webhooks.disable(webhook, reason);
    await alerts.noteEvents(['webhook.failing'], [application.id]);
    const wait = waits[Math.min(delivery.attempts, waits.length - 1)] as number;
    return { inMs: wait * retryMs * randomly(), isFailing: true };
  }

  return async function deliver(taken: TakenWebhook): Promise<Rest> {
    const ready = await asTheyAre(taken);
    if ('inMs' in ready) return ready;
    const { application } = ready;
    if (taken.owner !== application.owner.id) await webhooks.setOwner(taken, application.owner.id);
    const began = performance.now();
    let webhook = taken;
    while (performance.now() - began < passMs) {
      const delivery = await deliveries.next(webhook);
      if (delivery) {
        const rest = await send(webhook, application, delivery);
        if (rest) return rest;
        continue;
      }
      const { progress, made, isOpen } = await readNews(application, webhook);
      const isChanged = Object.keys(progress).length > 0;
      if (isChanged && !(await webhooks.record(webhook, progress, made))) return { inMs: 0 };
      webhook = { ...webhook, progress: { ...webhook.progress, ...progress } };
      if (isChanged) continue;
      await deliveries.trim(webhook, keptDeliveries);
      if (isOpen) return { inMs: openMs };
      // The count falls at the begin of a minute, and may rise again within it.
      return { inMs: webhook.progress.isOver ? minuteMs - (Date.now() % minuteMs) : idleMs * randomly() };
    }
    return { inMs: 0 };
  };
}
