import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Activity } from './activity.ts';
import type { Application } from './contract.ts';

/** Of a new application. */
const none: Activity = { entries: 0, lastEntryAt: undefined, refused: 0 };

/** An application as its owner sees it, as JSON. The schema is JSON already: it is not parsed and written again. */
export function toJson(
  record: ApplicationRecord,
  { entries, lastEntryAt, refused }: Activity = none,
  warnings: string[] = [],
): string {
  const { rawSchema } = record;
  const fields: Omit<Application, 'template'> = {
    name: record.name,
    owner: record.owner.username,
    domain: record.domain,
    type: record.type,
    connectors: record.connectors,
    key_required: record.keyRequired,
    allowed_origins: record.allowedOrigins,
    retention_days: record.retentionDays,
    refused: record.refused,
    createdAt: record.createdAt.toISOString(),
    lastModifiedAt: record.lastModifiedAt.toISOString(),
    entries,
    last_entry_at: lastEntryAt?.toISOString() ?? null,
    refused_24h: refused,
    ...(record.deletedAt && { deleted_at: record.deletedAt.toISOString() }),
    ...(record.purgeAt && { purge_at: record.purgeAt.toISOString() }),
    ...(warnings.length > 0 && { warnings }),
  };
  const template = `{"version":${record.version},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(fields).slice(0, -1)},"template":${template}}`;
}
