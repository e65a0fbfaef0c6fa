import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import {
  type CompiledSchema,
  createCompiledSchema,
  type Outline,
} from '@sluice/schemas/judge/compiled-schema.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import { createFieldSet, type FieldSet } from './field-set.ts';
import type { Refusal } from './line.ts';
import { uniqueIn, type WithUnique } from './unique.ts';
import { type Judge, validatePayload } from './validate-payload.ts';

/** A request to the thread of ./upload-validator.ts, which remembers the latest schemas. */
export interface ValidateRequest {
  /** A unique name of the version of the schema. */
  schema: string;
  /** Sent after the answer `unknown`. */
  learn?: { outline: Outline; rawSchema: string };
  domain: string;
  application: WithUnique;
  body: Uint8Array;
}

export type ValidateAnswer =
  | { kind: 'unknown' }
  /** A defect of the service. */
  | { kind: 'failed'; reason: string }
  /** `fields`: the fields that are not in the schema. `bson`: the payload. `value`: see `AcceptedLine`. */
  | { kind: 'taken'; fields: string[]; bson: ArrayBuffer; value: Uint8Array | undefined }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'nonconforming' };

interface Known {
  schema: CompiledSchema;
  fields: FieldSet;
}

const known = new LRUCache<string, Known>({ max: 50, maxSize: 64 * 1024 ** 2 });

function answer({ schema, learn, domain, application, body }: ValidateRequest): ValidateAnswer {
  const own = known.get(schema) ?? (learn && take(schema, learn));
  if (!own) return { kind: 'unknown' };
  const { schema: judging, fields } = own;
  let conforms = true;
  const judge: Judge = {
    domain,
    ...judging,
    judge(payload) {
      const verdict = judging.judge(payload);
      conforms = verdict !== 'does not conform';
      return verdict;
    },
    // The other thread does both.
    explain: async () => [],
    accepted: () => {},
  };
  const fate = validatePayload(judge, Buffer.from(body.buffer), (payload) => ({
    fields: fields.unknown(payload),
    value: uniqueIn(application, payload),
  }));
  if (!conforms) return { kind: 'nonconforming' };
  if (fate.kind === 'refused') return { kind: 'refused', refusal: fate.refusal };
  // A copy without the pool that small buffers share.
  const { bson, value } = fate;
  return { kind: 'taken', fields: fate.fields, bson: new Uint8Array(bson).buffer, value };
}

/** An exception would end the thread, and the next one would have to learn all schemas again. */
function answerOrFail(request: ValidateRequest): ValidateAnswer {
  try {
    return answer(request);
  } catch (error) {
    return { kind: 'failed', reason: String((error as Error).stack ?? error) };
  }
}

function take(name: string, { outline, rawSchema }: NonNullable<ValidateRequest['learn']>): Known {
  const fields = createFieldSet();
  fields.add(schemaFields(parseSchema(rawSchema)));
  const schema = createCompiledSchema(outline);
  const made = { schema, fields };
  known.set(name, made, { size: schema.size });
  return made;
}

serve(answerOrFail, (answered) => (answered.kind === 'taken' ? [answered.bson] : []));
