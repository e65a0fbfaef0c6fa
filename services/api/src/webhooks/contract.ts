import { webhookEvents } from '@sluice/shared/webhook-events.ts';
import type { DeliveryRecord, WebhookRecord } from '@sluice/store/webhooks/webhook-records.ts';
import { senderMeta } from '@sluice/tables/columns.ts';
import Type, { type Static } from 'typebox';
import { aboutSender } from '../http/meta.ts';
import { DateTime, Int, Name, Named, Pagination, Query, Strict, Text, Timestamp } from '../http/schemas.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'An http or https URL without a user name. Private addresses are refused.',
  examples: ['https://example.com/hooks/sluice'],
});
const Events = Type.Array(Type.Enum([...webhookEvents], { title: 'WebhookEvent' }), {
  minItems: 1,
  uniqueItems: true,
  examples: [['entries.stored']],
});
const Refusals = Strict(
  { title: 'RefusalThreshold', description: 'When `refusals.threshold` comes; needed for that event.' },
  {
    count: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [10] }),
    minutes: Type.Integer({ minimum: 1, maximum: 1_440, examples: [5] }),
  },
);
const Silence = Type.Integer({
  minimum: 1,
  maximum: 43_200,
  description: 'After how many minutes without an entry `entries.silent` comes; needed for that event.',
  examples: [60],
});
const chosen = {
  url: Url,
  events: Events,
  name: Type.Optional(Type.String({ ...Name, examples: ['Warehouse'] })),
  refusals: Type.Optional(Refusals),
  silence: Type.Optional(Silence),
  meta: Type.Optional(
    Type.Array(Type.Enum([...senderMeta], { title: 'WebhookMeta' }), {
      uniqueItems: true,
      description: `Entries have these members too: ${aboutSender}`,
      examples: [['source', 'key']],
    }),
  ),
};
const example = { url: 'https://example.com/hooks/sluice', events: ['entries.stored'], name: 'Warehouse' };

export const NewWebhook = Strict({ title: 'NewWebhook', examples: [example] }, chosen);

export const WebhookUpdate = Strict(
  { title: 'WebhookUpdate', examples: [{ state: 'paused' }] },
  {
    ...Type.Partial(Type.Object(chosen)).properties,
    state: Type.Optional(
      Type.Enum(['active', 'paused'], {
        title: 'WebhookStateUpdate',
        description: '`active` also after Sluice disabled it: what waits is tried at once.',
      }),
    ),
  },
);

const fields = {
  id: Type.String(),
  ...chosen,
  state: Type.Enum(['active', 'paused', 'disabled'], {
    title: 'WebhookState',
    description: '`disabled`: Sluice gave up, for `reason`.',
  }),
  reason: Type.Optional(Type.String()),
  next_try_at: Type.Optional(
    DateTime('When it is tried again. Absent unless it is active and the last try failed.'),
  ),
  createdAt: DateTime(),
  createdBy: Text('Username.', 'ada'),
  lastModifiedAt: DateTime(),
};
const shown = {
  id: '66f1c2a4e8b5d70912345678',
  ...example,
  state: 'active',
  createdAt: '2026-11-21T04:00:00.000Z',
  createdBy: 'ada',
  lastModifiedAt: '2026-11-21T04:00:00.000Z',
};
export const Webhook = Named({ title: 'Webhook', examples: [shown] }, fields);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0eZ1vPq3x7k=';
export const IssuedWebhook = Named(
  { title: 'IssuedWebhook', examples: [{ ...shown, secret }] },
  { ...fields, secret: Text('Verifies signatures; shown only once.', secret) },
);

const Attempt = Named('DeliveryAttempt', {
  at: DateTime(),
  status: Type.Optional(Int('Status of the answer; absent without one.', 200)),
  ms: Int('How long it took.', 87),
  error: Type.Optional(Text('Why there was no answer, or why it does not count.')),
  body: Type.Optional(Text('The first KiB of the answer.')),
});

const deliveryFields = {
  id: Type.String(),
  type: Type.Enum([...webhookEvents, 'ping'], { title: 'DeliveryType' }),
  state: Type.Enum(['waiting', 'delivered'], { title: 'DeliveryState' }),
  attempts: Int('How often it was sent.', 1),
  createdAt: DateTime(),
  last: Type.Optional(Attempt),
};
export const Delivery = Named(
  {
    title: 'Delivery',
    examples: [
      {
        id: '66f1c2a4e8b5d70912345679',
        type: 'ping',
        state: 'waiting',
        attempts: 0,
        createdAt: '2026-11-21T04:00:00.000Z',
      },
    ],
  },
  deliveryFields,
);
export const DeliveryPage = Named('DeliveryPage', { result: Type.Array(Delivery), pagination: Pagination });

export const DeliveriesQuery = Query({
  start: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Index of the first delivery.' }),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Deliveries per page.' }),
});

export const RedeliverFrom = Strict(
  { title: 'RedeliverFrom', examples: [{ from: '2026-11-21T04:00:00.000Z' }] },
  { from: Type.String({ ...Timestamp, description: 'Events from this time on come again.' }) },
);

export const toWebhook = ({
  application: _,
  nextTryAt,
  createdAt,
  lastModifiedAt,
  ...rest
}: WebhookRecord): Static<typeof Webhook> => ({
  ...rest,
  ...(nextTryAt && { next_try_at: nextTryAt.toISOString() }),
  createdAt: createdAt.toISOString(),
  lastModifiedAt: lastModifiedAt.toISOString(),
});

export const toDelivery = ({ createdAt, last, ...rest }: DeliveryRecord): Static<typeof Delivery> => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  ...(last && { last: { ...last, at: last.at.toISOString() } }),
});
