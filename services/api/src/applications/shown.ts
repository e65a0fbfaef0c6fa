import type { Application } from '@sluice/shared/contracts/applications.ts';
import { parseSchema } from '@sluice/shared/schemas/parse-schema.ts';
import type { ApplicationRecord, ApplicationStore } from '@sluice/shared/store/applications.ts';

/** An application as its owner sees it. */
export const toApplication = (record: ApplicationRecord): Application => ({
  ...toFields(record),
  template: { raw_schema: record.rawSchema, schema: parseSchema(record.rawSchema) },
});

const toFields = (record: ApplicationRecord): Omit<Application, 'template'> => ({
  name: record.name,
  owner: record.owner.username,
  domain: record.domain,
  type: record.type,
  connectors: record.connectors,
  key_required: record.keyRequired,
  allowed_origins: record.allowedOrigins,
  createdAt: record.createdAt.toISOString(),
  lastModifiedAt: record.lastModifiedAt.toISOString(),
});

/** The same as JSON. The schema is that already, and need not be read and written again. */
function toJson(record: ApplicationRecord): string {
  const { rawSchema } = record;
  const template = `{"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
  return `${JSON.stringify(toFields(record)).slice(0, -1)},"template":${template}}`;
}

/**
 * The answer with applications, in pieces of one each: a schema may have 256 KiB, so that all of them are too much to hold at
 * once. One that is deleted meanwhile is left out.
 */
export async function* listAsJson(
  applications: Pick<ApplicationStore, 'byId'>,
  ids: string[],
): AsyncGenerator<string> {
  let before = '{"success":true,"status":200,"data":[';
  for (const id of ids) {
    const found = await applications.byId(id);
    if (!found) continue;
    yield before + toJson(found);
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
