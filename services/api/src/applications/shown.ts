import type { Application } from '@sluice/shared/contracts/applications.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';

/** An application as its owner sees it, as JSON. The schema is JSON already: it is not parsed and written again. */
export function toJson(record: ApplicationRecord): string {
  const { rawSchema } = record;
  const fields: Omit<Application, 'template'> = {
    name: record.name,
    owner: record.owner.username,
    domain: record.domain,
    type: record.type,
    connectors: record.connectors,
    key_required: record.keyRequired,
    allowed_origins: record.allowedOrigins,
    createdAt: record.createdAt.toISOString(),
    lastModifiedAt: record.lastModifiedAt.toISOString(),
  };
  const template = `{"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(fields).slice(0, -1)},"template":${template}}`;
}
