import { createFieldSet } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { createUploadValidator } from '@sluice/intake/upload-validator.ts';
import { createJudge } from '@sluice/intake/validate-payload.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import type { CompiledSchema } from '@sluice/schemas/judge/compiled-schema.ts';
import type { Capacities } from '../limits/capacity.ts';
import { capacities } from '../limits/table.ts';

export interface Proposed {
  rawSchema: string;
  schema: CompiledSchema;
}

/** An intake with a schema that no application has. `client` waits for its turn. */
export function toIntake(
  explainer: Explainer,
  domain: string,
  client: string,
  { rawSchema, schema }: Proposed,
): Intake {
  const judge = createJudge(explainer, { domain, client, schema });
  const recorded = { overflow: true, closed: true };
  // The validator's thread knows the schema by `id` and `version`.
  const named = { id: `proposed ${schema.hash}`, version: 0, domain, owner: client };
  return { ...named, rawSchema, schema, judge, fields: createFieldSet(), recorded, size: 0 };
}

/** A validator of payloads that are not stored. It records no fields. */
export const createDryValidator = ({ largeUploads }: Pick<Capacities, 'largeUploads'>) =>
  createUploadValidator(
    { find: () => ({ fields: [] }), notOnRecord: () => [] },
    { capacity: largeUploads, waitMs: capacities.largeUploads.waitMs },
  );
