import { toBson } from '@sluice/json/write-bson.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { createRun, isTooMany, type Run } from '@sluice/schemas/validate/run.ts';
import { fitsInDocument } from '@sluice/store/entries/write-documents.ts';
import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import { createFieldSet, type FieldSet } from './field-set.ts';
import { tooLarge, tooLargeToStore } from './line-errors.ts';
import { type LineRefusal, validatePayload } from './validate-payload.ts';

/** The thread of ./upload-validator.ts. It knows the schemas that it was told last. */
export interface ValidateRequest {
  /** Names the code: the same for the same. */
  schema: string;
  /** When the thread does not know it. */
  learn?: { code: string; rawSchema: string };
  domain: string;
  body: Uint8Array;
}

export type ValidateAnswer =
  | { kind: 'unknown' }
  /** A defect: nothing is known of the payload. */
  | { kind: 'failed'; reason: string }
  /** `fields`: those that are not in the schema. `bson`: the payload. */
  | { kind: 'taken'; fields: string[]; bson: ArrayBuffer }
  /** `hasMore`: the exhaustive code may find more that is wrong. */
  | { kind: 'refused'; refusal: LineRefusal; hasMore: boolean };

interface Known {
  run: Run;
  fields: FieldSet;
}

/** By characters of code; they take about three bytes each of the thread's heap. */
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
  if (!fitsInDocument(validated.payload, body.length))
    return { kind: 'refused', refusal: tooLarge(tooLargeToStore), hasMore: false };
  return { kind: 'taken', fields: own.fields.unknown(validated.payload), bson: toBson(validated.json) };
}

/** What is thrown would end the thread, and the next would have to learn all schemas again. */
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
