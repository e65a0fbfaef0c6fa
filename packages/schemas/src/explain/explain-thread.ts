import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import { checkSchema } from '../check/check.ts';
import { link } from '../compile/link.ts';
import { limits } from '../limits.ts';
import { createExplain, type Explain, type Explanation } from './create-explain.ts';

/** A message to the thread of ./questions.ts, which remembers the latest schemas. */
export interface ExplainRequest {
  /** Each body is the next `length` bytes of `bodies`. */
  questions: { hash: string; length: number }[];
  bodies: Uint8Array<ArrayBuffer>;
  /** The texts of schemas that the thread did not know, by hash. */
  schemas: Map<string, string>;
  /** The thread writes which question it is at, for the case that it ends there. */
  progress: Int32Array;
}

/** `unknown`: without the schema. `later`: the message had its time. `failed`: Ajv cannot say it. */
export type Answer = (Explanation & { tookMs: number }) | 'unknown' | 'later' | { failed: string };

type Known = Explain | { failed: string };

const known = new LRUCache<string, Known>({ maxSize: limits.explainCacheBytes });

serve<ExplainRequest, Answer[]>(({ questions, bodies, schemas, progress }) => {
  const end = performance.now() + limits.explainMessageMs;
  let from = 0;
  return questions.map(({ hash, length }, i) => {
    const body = Buffer.from(bodies.buffer, from, length);
    from += length;
    const began = performance.now();
    if (began > end) return 'later';
    progress[0] = i;
    const own = known.get(hash) ?? learn(hash, schemas.get(hash));
    if (!own) return 'unknown';
    if ('failed' in own) return own;
    try {
      return { ...own.explain(body), tookMs: performance.now() - began };
    } catch (error) {
      return failure(error);
    }
  });
});

function learn(hash: string, raw: string | undefined): Known | undefined {
  if (raw === undefined) return undefined;
  const made = make(raw);
  known.set(hash, made, { size: 'bytes' in made ? Math.min(made.bytes, limits.explainCacheBytes) : 1_000 });
  return made;
}

function make(raw: string): Known {
  try {
    const { schema, draft, walk } = checkSchema(raw);
    return createExplain(link(schema, draft, walk), draft);
  } catch (error) {
    return failure(error);
  }
}

/** Text of the error without the payload, which no error has. */
const failure = (error: unknown) => ({ failed: String((error as Error).message).slice(0, 300) });
