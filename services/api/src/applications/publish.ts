import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { SchemaVersion } from '@sluice/store/applications/schemas.ts';
import type { Dependencies } from '../dependencies.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';

const mostVersions = quotas.versions.limit;

export const conflict = (application: ApplicationRecord) =>
  new ApiError(
    'ResourceConflictError',
    `version ${application.version} of the schema of ${application.domain} is in force; nothing was published`,
  );

/** Makes the next version of a schema, which compiles. The one in force stays it when it is published again. Throws ApiError. */
export function createPublish({ applications, schemas }: Dependencies['store']) {
  /** The first version has its columns by itself; those of later ones come behind what is there. */
  async function furtherFields(application: ApplicationRecord, rawSchema: string): Promise<string[]> {
    const first = await schemas.of(application, 1);
    const known = new Set(first && schemaFields(parseSchema(first.rawSchema)));
    return schemaFields(parseSchema(rawSchema)).filter((field) => !known.has(field));
  }

  return async function publish(
    application: ApplicationRecord,
    version: Pick<SchemaVersion, 'rawSchema' | 'note' | 'createdBy'>,
  ): Promise<ApplicationRecord> {
    if (version.rawSchema === application.rawSchema) return application;
    if (application.version >= mostVersions) throw quotaReached('versions', mostVersions);
    const fields = await furtherFields(application, version.rawSchema);
    const published = await schemas.publish(application, { ...version, fields });
    if (published) return published;
    const now = await applications.byId(application.id);
    throw now ? conflict(now) : applicationNotFound(application.domain);
  };
}
