import { schemaLeaves } from '../columns/schema-leaves.ts';
import { unavailable } from '../errors.ts';
import type { Compiler } from '../schemas/compiler.ts';
import type { Validator } from '../schemas/validator.ts';
import type { ApplicationRecord } from '../store/applications.ts';
import type { LeafStore } from '../store/leaves.ts';
import { createLeafSet, type LeafSet } from './leaf-set.ts';

/** What it takes to take entries for an application. */
export interface Intake {
  id: string;
  domain: string;
  validator: Validator;
  leaves: LeafSet;
  /** Some leaf of an entry is in no list: there were too many. */
  leafOverflow: boolean;
}

/** Compiles an application's schema and learns its leaves. Throws ApiError when it cannot be compiled now. */
export function createLoadIntake({ leaves, compiler }: { leaves: LeafStore; compiler: Compiler }) {
  return async ({ id, domain, rawSchema }: ApplicationRecord): Promise<Intake> => {
    const [compiled, recorded] = await Promise.all([compiler.compile(rawSchema), leaves.of(id)]);
    // It compiled when it was created: what fails now is time or memory.
    if (!compiled.ok) throw unavailable(`the schema cannot be compiled now: ${compiled.refusal.message}`);
    const known = createLeafSet();
    known.add(schemaLeaves(JSON.parse(rawSchema)));
    known.add(recorded.pointers);
    return { id, domain, validator: compiled.validator, leaves: known, leafOverflow: recorded.overflow };
  };
}
