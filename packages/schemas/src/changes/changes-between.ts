import { OutOfSteps, withSteps } from '../budget.ts';
import { checkWalk } from '../check/check-walk.ts';
import { link } from '../check/link.ts';
import { type Draft, draftOf } from '../draft.ts';
import type { Schema } from '../schema.ts';
import { compareSchemas } from './compare-schemas.ts';
import { type Change, createReport, TooManyChanges } from './report.ts';

/** A step takes up to 10 µs. References can lead to the same part very often. */
const maxSteps = 100_000;
const root = { path: [] };

/**
 * Up to 200 changes that a new schema makes for payloads. `checkSchema` must have accepted both schemas.
 * Titles, descriptions and other notes are not compared.
 *
 * If all changes are `looser`, payloads that conform to the old schema conform to the new one.
 * If all are `stricter`, payloads that conform to the new schema conform to the old one.
 */
export function changesBetween(before: Schema, after: Schema): Change[] {
  const changes: Change[] = [];
  const report = createReport(changes);
  const [was, is] = [draftIn(before), draftIn(after)];
  if (was !== is) report(root, 'changed', `the draft of JSON Schema was ${was}, is ${is}`);
  try {
    const [old, current] = [resolved(before, was), resolved(after, is)];
    withSteps(maxSteps, () => compareSchemas(old, current, is, report));
  } catch (error) {
    changes.push({ path: '', kind: 'changed', message: reasonOf(error) });
  }
  return changes;
}

/** Why the list ends early. */
function reasonOf(error: unknown): string {
  if (error instanceof TooManyChanges) return 'there are more changes than can be listed';
  // A chain of thousands of references overflows the stack.
  if (error instanceof OutOfSteps || error instanceof RangeError)
    return 'the schemas are too large to be compared in full';
  throw error;
}

const draftIn = ({ $schema }: Schema): Draft => draftOf($schema) ?? '2020-12';

/** The schema without notes, with pointers for references. */
const resolved = (schema: Schema, draft: Draft) => link(schema, draft, checkWalk(schema, draft), 'named');
