import { schemaLeaves } from '@sluice/schemas/columns/schema-leaves.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Extent, type LeafStore, largeNumbers } from '@sluice/store/applications/leaves.ts';
import { createLeafSet, type LeafSet } from './leaf-set.ts';

/** What it takes to take entries for an application. */
export interface Intake {
  id: string;
  domain: string;
  /** Id of the owner. */
  owner: string;
  rawSchema: string;
  validator: Validator;
  leaves: LeafSet;
  /** Whether all leaves are on record. */
  recorded: Extent;
}

/** Compiles an application's schema and learns its leaves. Throws ApiError when it cannot be compiled now. */
export function createLoadIntake({ leaves, compiler }: { leaves: LeafStore; compiler: Compiler }) {
  return async ({ id, domain, owner, rawSchema }: ApplicationRecord): Promise<Intake> => {
    const compiling = compiler.compile(rawSchema, { client: owner.id });
    const [compiled, recorded] = await Promise.all([compiling, leaves.of(id)]);
    // It compiled when it was created: what fails now is time or memory.
    if (!compiled.ok) throw unavailable(`the schema cannot be compiled now: ${compiled.problem}`);
    const known = createLeafSet();
    known.add(schemaLeaves(parseSchema(rawSchema)));
    known.add(recorded.pointers);
    if (recorded.hasLarge) known.add([largeNumbers]);
    const { validator } = compiled;
    return {
      id,
      domain,
      owner: owner.id,
      rawSchema,
      validator,
      leaves: known,
      recorded: { overflow: recorded.overflow, closed: recorded.closed },
    };
  };
}
