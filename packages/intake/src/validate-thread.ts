import { fitsInDocument } from '@sluice/bson/write-entries.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { createRun, isTooMany, type Run } from '@sluice/schemas/validate/run.ts';
import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import { createFieldSet, type FieldSet } from './field-set.ts';
import { tooLarge, tooLargeToStore } from './line-errors.ts';
import { type LineRefusal, validatePayload } from './validate-payload.ts';

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
  | { kind: 'refused'; refusal: LineRefusal; hasMore: boolean };

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
  const validated = validatePayload({ domain, validator }, Buffer.from(body.buffer));
  if (!validated.ok) return { kind: 'refused', refusal: validated.refusal, hasMore };
  const { payload, bson } = validated;
  if (!fitsInDocument(bson)) return { kind: 'refused', refusal: tooLarge(tooLargeToStore), hasMore: false };
  // A copy without the pool that small buffers share.
  return { kind: 'taken', fields: own.fields.unknown(payload), bson: new Uint8Array(bson).buffer };
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
