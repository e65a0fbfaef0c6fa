import { toBson } from '@sluice/json/write-bson.ts';
import { schemaLeaves } from '@sluice/schemas/columns/schema-leaves.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import { createRun, isTooMany, type Run } from '@sluice/schemas/validate/run.ts';
import { serve } from '@sluice/shared/threads/serve.ts';
import { fitsInDocument } from '@sluice/store/entries/write-documents.ts';
import { LRUCache } from 'lru-cache';
import { examine, type LineRefusal } from './examine.ts';
import { createLeafSet, type LeafSet } from './leaf-set.ts';
import { tooLarge, tooLargeToStore } from './line-errors.ts';

/** The thread of ./examiner.ts. It knows the schemas that it was told last. */
export interface ExamineRequest {
  /** Names the code: the same for the same. */
  schema: string;
  /** When the thread does not know it. */
  learn?: { code: string; rawSchema: string };
  domain: string;
  body: Uint8Array;
}

export type ExamineAnswer =
  | { kind: 'unknown' }
  /** A defect: nothing is known of the payload. */
  | { kind: 'failed'; reason: string }
  /** `leaves`: those that are not in the schema. `bson`: the payload. */
  | { kind: 'taken'; leaves: string[]; bson: ArrayBuffer }
  /** `hasMore`: the exhaustive code may find more that is wrong. */
  | { kind: 'refused'; refusal: LineRefusal; hasMore: boolean };

interface Known {
  run: Run;
  leaves: LeafSet;
}

/** By characters of code; they take about three bytes each of the thread's heap. */
const known = new LRUCache<string, Known>({ max: 50, maxSize: 64 * 1024 ** 2 });

function answer({ schema, learn, domain, body }: ExamineRequest): ExamineAnswer {
  const own = known.get(schema) ?? (learn && take(schema, learn));
  if (!own) return { kind: 'unknown' };
  let hasMore = false;
  const validate = (payload: unknown) => {
    const issues = own.run.run(payload);
    hasMore = issues !== null && !isTooMany(issues);
    return issues;
  };
  const validator = { validate, explain: async () => [] };
  const examined = examine({ domain, validator }, Buffer.from(body.buffer));
  if (!examined.ok) return { kind: 'refused', refusal: examined.refusal, hasMore };
  if (!fitsInDocument(examined.payload, body.length))
    return { kind: 'refused', refusal: tooLarge(tooLargeToStore), hasMore: false };
  return { kind: 'taken', leaves: own.leaves.unknown(examined.payload), bson: toBson(examined.json) };
}

/** What is thrown would end the thread, and the next would have to learn all schemas again. */
function answerOrFail(request: ExamineRequest): ExamineAnswer {
  try {
    return answer(request);
  } catch (error) {
    return { kind: 'failed', reason: String((error as Error).stack ?? error) };
  }
}

function take(schema: string, { code, rawSchema }: { code: string; rawSchema: string }): Known {
  const leaves = createLeafSet();
  leaves.add(schemaLeaves(parseSchema(rawSchema)));
  const made = { run: createRun(code), leaves };
  known.set(schema, made, { size: code.length });
  return made;
}

serve(answerOrFail, (answered) => (answered.kind === 'taken' ? [answered.bson] : []));
