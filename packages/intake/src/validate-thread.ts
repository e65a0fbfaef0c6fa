import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { createRun, isTooMany, type Run } from '@sluice/schemas/validate/run.ts';
import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import { createFieldSet, type FieldSet } from './field-set.ts';
import type { Refusal } from './line.ts';
import { validatePayload } from './validate-payload.ts';

/** A request to the thread of ./upload-validator.ts, which remembers the latest schemas. */
export interface ValidateRequest {
  /** A unique name of the code. */
  schema: string;
  /** Sent after the answer `unknown`. */
  learn?: { code: string; rawSchema: string };
  domain: string;
  body: Uint8Array;
}

export type ValidateAnswer =
  | { kind: 'unknown' }
  /** A defect of the service. */
  | { kind: 'failed'; reason: string }
  /** `fields`: the fields that are not in the schema. `bson`: the payload. */
  | { kind: 'taken'; fields: string[]; bson: ArrayBuffer }
  /** `hasMore`: the exhaustive code may find more faults. */
  | { kind: 'refused'; refusal: Refusal; hasMore: boolean };

interface Known {
  run: Run;
  fields: FieldSet;
}

/** Its size is in characters of code, each of which takes about three bytes of the heap. */
const known = new LRUCache<string, Known>({ max: 50, maxSize: 64 * 1024 ** 2 });

function answer({ schema, learn, domain, body }: ValidateRequest): ValidateAnswer {
  const own = known.get(schema) ?? (learn && take(schema, learn));
  if (!own) return { kind: 'unknown' };
  let hasMore = false;
  const validate = (payload: unknown) => {
    const issues = own.run.run(payload);
    hasMore = issues !== null && !isTooMany(issues);
    return issues;
  };
  const validator = { validate, explain: async () => [] };
  const fate = validatePayload({ domain, validator }, Buffer.from(body.buffer), own.fields.unknown);
  if (fate.kind === 'refused') return { kind: 'refused', refusal: fate.refusal, hasMore };
  // A copy without the pool that small buffers share.
  return { kind: 'taken', fields: fate.fields, bson: new Uint8Array(fate.bson).buffer };
}

/** An exception would end the thread, and the next one would have to learn all schemas again. */
function answerOrFail(request: ValidateRequest): ValidateAnswer {
  try {
    return answer(request);
  } catch (error) {
    return { kind: 'failed', reason: String((error as Error).stack ?? error) };
  }
}

function take(schema: string, { code, rawSchema }: { code: string; rawSchema: string }): Known {
  const fields = createFieldSet();
  fields.add(schemaFields(parseSchema(rawSchema)));
  const made = { run: createRun(code), fields };
  known.set(schema, made, { size: code.length });
  return made;
}

serve(answerOrFail, (answered) => (answered.kind === 'taken' ? [answered.bson] : []));
