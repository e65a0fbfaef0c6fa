import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Waiting } from '@sluice/store/webhooks/deliveries.ts';
import type { WebhookRecord } from '@sluice/store/webhooks/webhook-records.ts';

/** Limits of one delivery; bytes are BSON. A single larger entry goes alone. */
export const most = { count: 500, bytes: 1024 ** 2 };

/** The body of a delivery; undefined where all its entries were deleted. */
export async function bodyOf(
  { deliveries, senders }: Pick<Store, 'deliveries' | 'senders'>,
  { id, domain }: Pick<ApplicationRecord, 'id' | 'domain'>,
  { meta = [] }: Pick<WebhookRecord, 'meta'>,
  { type, createdAt, content }: Waiting,
): Promise<string | undefined> {
  const timestamp = createdAt.toISOString();
  if ('data' in content) return JSON.stringify({ type, timestamp, data: { domain, ...content.data } });
  const found = await deliveries.entries(id, content.entries);
  if (found.length === 0) return undefined;
  const senderOf = await senders.textsOf(id, found, meta);
  const entries = found.map(({ version, receivedAt, by, ...entry }) => ({
    ...entry,
    domain,
    schema_version: version,
    ...(receivedAt && { received_at: receivedAt }),
    ...senderOf({ by }),
  }));
  return JSON.stringify({ type, timestamp, data: { domain, entries } });
}
