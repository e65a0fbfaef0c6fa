import { checkWalk } from '../check/check-walk.ts';
import { link } from '../compile/link.ts';
import { type Draft, draftOf } from '../draft.ts';
import type { Schema } from '../parse-schema.ts';
import { createBudget, OutOfSteps } from '../validate/budget.ts';
import { compareSchemas } from './compare-schemas.ts';
import { type Change, createReport, TooManyChanges } from './report.ts';

/** Steps of a comparison, of up to 10 µs: references can name the same part over and over. */
const maxSteps = 100_000;
const root = { path: [] };

/**
 * What a new schema changes for payloads, in the order of the schema; at most 200 changes are listed. Both schemas were accepted by
 * `checkSchema`. If all changes are `looser`, every payload that conforms to the old schema conforms to the new one; if all are
 * `stricter`, the other way round. Titles, descriptions and other notes are not compared.
 */
export function changesBetween(before: Schema, after: Schema): Change[] {
  const changes: Change[] = [];
  const report = createReport(changes);
  const { spend, refill } = createBudget();
  refill(maxSteps);
  const [was, is] = [draftIn(before), draftIn(after)];
  if (was !== is) report(root, 'changed', `the draft of JSON Schema was ${was}, is ${is}`);
  try {
    compareSchemas(resolved(before, was), resolved(after, is), { draft: is, spend, report });
  } catch (error) {
    changes.push({ path: '', kind: 'changed', message: reasonOf(error) });
  }
  return changes;
}

/** Why the list ends early. */
function reasonOf(error: unknown): string {
  if (error instanceof TooManyChanges) return 'there are more changes than can be listed';
  // The stack ends where references make a chain of thousands.
  if (error instanceof OutOfSteps || error instanceof RangeError)
    return 'the schemas are too large to be compared in full';
  throw error;
}

const draftIn = ({ $schema }: Schema): Draft => draftOf($schema) ?? '2020-12';

/** The schema with references that are pointers, and without notes. */
const resolved = (schema: Schema, draft: Draft) => link(schema, draft, checkWalk(schema, draft)).schema;
