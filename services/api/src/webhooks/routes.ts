import { randomBytes } from 'node:crypto';
import type { WebhookRecord } from '@sluice/store/webhooks/webhook-records.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication, type OfApplication } from '../http/find-application.ts';
import { toOutboundUrl } from '../http/outbound-url.ts';
import { toPagination } from '../http/pages.ts';
import { invalidAt, notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, takeSmallBodies } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import {
  DeliveriesQuery,
  Delivery,
  DeliveryPage,
  IssuedWebhook,
  NewWebhook,
  RedeliverFrom,
  toDelivery,
  toWebhook,
  Webhook,
  WebhookUpdate,
} from './contract.ts';

const ById = byId('webhook');
const ByDelivery = Type.Object({ ...ById.properties, delivery: Text('Id of the delivery.') });
const maxWebhooks = quotas.webhooks.limit;
const maxSecrets = quotas.secrets.limit;
/** How long the secret before a rotation signs too. */
const overlapMs = 24 * 3_600_000;

/** Standard Webhooks wants 24 to 64 random bytes. */
const makeSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const invalid = (name: string, message: string) => invalidAt(`/${name}`, name, message);

/** What its editors set. The rest of a URL may be a secret. */
const settingsOf = ({ name, url, events, refusals, silence, meta, state }: WebhookRecord) => ({
  name,
  url: new URL(url).origin,
  events,
  refusals,
  silence,
  meta,
  state,
});

/** Some events need a threshold. Throws ApiError. */
function refuseThreshold({
  events,
  refusals,
  silence,
}: Pick<WebhookRecord, 'events' | 'refusals' | 'silence'>): void {
  if (events.includes('refusals.threshold') && !refusals)
    throw invalid('refusals', 'is needed for refusals.threshold: {"count":10,"minutes":5}');
  if (events.includes('entries.silent') && silence === undefined)
    throw invalid('silence', 'is needed for entries.silent: the minutes without an entry, such as 60');
}

/** Webhooks of an application, and what became of their deliveries. Ingest workers deliver. */
export const webhookRoutes: Routes = async (app, { store, audit, config }) => {
  const { applications, webhooks, deliveries } = store;
  bearerRoutes(app, 'Webhooks', 'editor');
  takeSmallBodies(app);
  const path = '/applications/:domain/webhooks';

  async function find(request: OfApplication & { params: { id: string } }) {
    const application = await findApplication(applications, request);
    const webhook = await webhooks.get(application.id, request.params.id);
    if (!webhook) throw notFound('webhook', request.params.id);
    return { application, webhook };
  }

  app.get(
    path,
    operation('listWebhooks', 'List webhooks', {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(Webhook)) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(applications, request);
      return success(reply, (await webhooks.list(id)).map(toWebhook));
    },
  );

  app.post(
    path,
    operation('createWebhook', 'Create a webhook', {
      description: `Events from now on are posted to the URL, signed by the rules of Standard Webhooks. An application has at most ${maxWebhooks}.`,
      params: ByDomain,
      body: NewWebhook,
      response: { 200: Success(IssuedWebhook), ...overLimit },
    }),
    async (request, reply) => {
      const { body } = request;
      const application = await findApplication(applications, request);
      const url = toOutboundUrl(body.url, config.outboundAllow);
      refuseThreshold(body);
      const secret = makeSecret();
      const fields = { ...body, url, createdBy: request.owner.username };
      const created = await webhooks.create(application, fields, secret, maxWebhooks);
      if (!created) throw quotaReached('webhooks', maxWebhooks);
      const event = {
        application: application.domain,
        details: { webhook: created.id },
        after: settingsOf(created),
      };
      await audit.note(request, { action: 'webhook.created', ...event });
      return success(reply, { ...toWebhook(created), secret });
    },
  );

  app.get(
    `${path}/:id`,
    operation('getWebhook', 'Get a webhook', { params: ById, response: { 200: Success(Webhook) } }),
    async (request, reply) => success(reply, toWebhook((await find(request)).webhook)),
  );

  app.patch(
    `${path}/:id`,
    operation('updateWebhook', 'Update a webhook', {
      description:
        'Paused, it keeps its place and goes on from there. No request begins any more; one that is under way may still arrive. Events that you add come from now on.',
      params: ById,
      body: WebhookUpdate,
      response: { 200: Success(Webhook) },
    }),
    async (request, reply) => {
      const { body } = request;
      const { application, webhook } = await find(request);
      const url = body.url === undefined ? undefined : toOutboundUrl(body.url, config.outboundAllow);
      const change = { ...body, ...(url !== undefined && { url }) };
      refuseThreshold({ ...webhook, ...body });
      const updated = await webhooks.update(application, webhook.id, change);
      if (!updated) throw notFound('webhook', webhook.id);
      const details = { webhook: webhook.id, changed: Object.keys(body) };
      const settings = { before: settingsOf(webhook), after: settingsOf(updated) };
      const event = { application: application.domain, details, ...settings };
      await audit.note(request, { action: 'webhook.updated', ...event });
      return success(reply, toWebhook(updated));
    },
  );

  app.delete(
    `${path}/:id`,
    operation('deleteWebhook', 'Delete a webhook', {
      description: 'With its log. What waits is not delivered.',
      params: ById,
      response: { 200: SuccessMessage('Deleted.', 'webhook 66f1c2a4e8b5d70912345678 was deleted') },
    }),
    async (request, reply) => {
      const { application, webhook } = await find(request);
      await webhooks.remove(application.id, webhook.id);
      const details = { webhook: webhook.id };
      const event = { application: application.domain, details, before: settingsOf(webhook) };
      await audit.note(request, { action: 'webhook.deleted', ...event });
      return success(reply, { message: `webhook ${webhook.id} was deleted` });
    },
  );

  app.post(
    `${path}/:id/ping`,
    operation('pingWebhook', 'Send a ping', {
      description:
        'An event `ping` with no data, within a second or two. The log of deliveries has its outcome.',
      params: ById,
      response: { 200: Success(Delivery) },
    }),
    async (request, reply) => {
      const { application, webhook } = await find(request);
      const delivery = await deliveries.ping(webhook);
      await webhooks.wake(webhook.id);
      const details = { webhook: webhook.id };
      await audit.note(request, { action: 'webhook.pinged', application: application.domain, details });
      return success(reply, toDelivery(delivery));
    },
  );

  app.post(
    `${path}/:id/rotate`,
    operation('rotateWebhook', 'Rotate the secret of a webhook', {
      description: `The old secret signs beside the new one for 24 hours. At most ${maxSecrets} sign at once.`,
      params: ById,
      response: { 200: Success(IssuedWebhook), ...overLimit },
    }),
    async (request, reply) => {
      const { application, webhook } = await find(request);
      const secret = makeSecret();
      const rotated = await webhooks.rotate(application.id, webhook.id, secret, {
        overlapMs,
        limit: maxSecrets,
      });
      if (!rotated)
        throw (await webhooks.get(application.id, webhook.id))
          ? quotaReached('secrets', maxSecrets)
          : notFound('webhook', webhook.id);
      const details = { webhook: webhook.id };
      await audit.note(request, { action: 'webhook.rotated', application: application.domain, details });
      return success(reply, { ...toWebhook(rotated), secret });
    },
  );

  app.get(
    `${path}/:id/deliveries`,
    operation('listDeliveries', 'List deliveries', {
      description: 'The last 500 and those that wait, newest first.',
      params: ById,
      querystring: DeliveriesQuery,
      response: { 200: Success(DeliveryPage) },
    }),
    async (request, reply) => {
      const { start = 0, limit = 100 } = request.query;
      const { webhook } = await find(request);
      const { result, total } = await deliveries.list(webhook, { start, limit });
      const pagination = toPagination({ start, limit }, total);
      return success(reply, { result: result.map(toDelivery), pagination });
    },
  );

  app.post(
    `${path}/:id/deliveries/:delivery/redeliver`,
    operation('redeliver', 'Redeliver', {
      description: 'Sends it again, with the same id. It comes before those that wait.',
      params: ByDelivery,
      response: { 200: Success(Delivery) },
    }),
    async (request, reply) => {
      const { application, webhook } = await find(request);
      const again = await deliveries.again(webhook, request.params.delivery);
      if (!again) throw notFound('delivery', request.params.delivery);
      await webhooks.wake(webhook.id);
      const details = { webhook: webhook.id, delivery: again.id };
      await audit.note(request, { action: 'webhook.redelivered', application: application.domain, details });
      return success(reply, toDelivery(again));
    },
  );

  app.post(
    `${path}/:id/redeliver`,
    operation('redeliverFrom', 'Redeliver from a time', {
      description:
        'Entries that were stored since come again, in new deliveries. So do the other events that the log still has.',
      params: ById,
      body: RedeliverFrom,
      response: {
        200: SuccessMessage(
          'Begun.',
          'events since 2026-11-21T04:00:00.000Z are being delivered again to webhook 66f1c2a4e8b5d70912345678',
        ),
      },
    }),
    async (request, reply) => {
      const { application, webhook } = await find(request);
      const from = new Date(request.body.from);
      await webhooks.rewind(webhook.id, from);
      const details = { webhook: webhook.id, from: from.toISOString() };
      await audit.note(request, { action: 'webhook.redelivered', application: application.domain, details });
      const message = `events since ${from.toISOString()} are being delivered again to webhook ${webhook.id}`;
      return success(reply, { message });
    },
  );
};
