import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Waiting } from '@sluice/store/webhooks/deliveries.ts';

/** The body of a delivery. Entries that were deleted since are left out. */
export async function bodyOf(
  { deliveries }: Pick<Store, 'deliveries'>,
  { id, domain }: Pick<ApplicationRecord, 'id' | 'domain'>,
  { type, createdAt, content }: Waiting,
): Promise<string> {
  const timestamp = createdAt.toISOString();
  if ('data' in content) return JSON.stringify({ type, timestamp, data: { domain, ...content.data } });
  const found = await deliveries.entries(id, content.stretch);
  const entries = found.map(({ version, receivedAt, ...entry }) => ({
    ...entry,
    domain,
    schema_version: version,
    ...(receivedAt && { received_at: receivedAt }),
  }));
  return JSON.stringify({ type, timestamp, data: { domain, entries } });
}
