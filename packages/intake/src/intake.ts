import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Extent, type FieldStore, largeNumbers } from '@sluice/store/applications/fields.ts';
import { createFieldSet, type FieldSet } from './field-set.ts';

/** What it takes to take entries for an application. */
export interface Intake {
  id: string;
  domain: string;
  /** Id of the owner. */
  owner: string;
  rawSchema: string;
  /** Of the schema. */
  version: number;
  validator: Validator;
  fields: FieldSet;
  /** Whether all fields are on record. */
  recorded: Extent;
}

/** Compiles an application's schema and learns its fields. Throws ApiError when it cannot be compiled now. */
export function createLoadIntake({ fields, compiler }: { fields: FieldStore; compiler: Compiler }) {
  return async ({ id, domain, owner, rawSchema, version }: ApplicationRecord): Promise<Intake> => {
    const compiling = compiler.compile(rawSchema, { client: owner.id });
    const [compiled, recorded] = await Promise.all([compiling, fields.of(id)]);
    // It compiled when it was created: what fails now is time or memory.
    if (!compiled.ok) throw unavailable(`the schema cannot be compiled now: ${compiled.problem}`);
    const known = createFieldSet();
    known.add(schemaFields(parseSchema(rawSchema)));
    known.add(recorded.pointers);
    if (recorded.hasLarge) known.add([largeNumbers]);
    const { validator } = compiled;
    return {
      id,
      domain,
      owner: owner.id,
      rawSchema,
      version,
      validator,
      fields: known,
      recorded: { overflow: recorded.overflow, closed: recorded.closed },
    };
  };
}
