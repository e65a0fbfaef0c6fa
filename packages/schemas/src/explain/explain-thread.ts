import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import type { Outline } from '../judge/compiled-schema.ts';
import { limits } from '../limits.ts';
import { createExplain, type Explain, type Explanation } from './create-explain.ts';

/** What is told of a schema that was accepted. */
export type Explained = Pick<Outline, 'hash' | 'linked' | 'draft'>;

/** A message to the thread of ./questions.ts, which remembers the latest schemas. */
export interface ExplainRequest {
  /** Each body is the next `length` bytes of `bodies`. */
  questions: { hash: string; length: number }[];
  bodies: Uint8Array<ArrayBuffer>;
  /** The schemas that the thread did not know. */
  schemas: Explained[];
  /** The thread writes which question it is at, for the case that it ends there. */
  progress: Int32Array;
}

/** `unknown`: without the schema. `later`: the message had its time. */
export type Answer = (Explanation & { tookMs: number }) | 'unknown' | 'later';

const known = new LRUCache<string, Explain>({ maxSize: limits.explainCacheBytes });

serve<ExplainRequest, Answer[]>(({ questions, bodies, schemas, progress }) => {
  const end = performance.now() + limits.explainMessageMs;
  let from = 0;
  return questions.map(({ hash, length }, i) => {
    const body = Buffer.from(bodies.buffer, from, length);
    from += length;
    const began = performance.now();
    if (began > end) return 'later';
    progress[0] = i;
    const own = known.get(hash) ?? learn(schemas.find((schema) => schema.hash === hash));
    return own ? { ...own.explain(body), tookMs: performance.now() - began } : 'unknown';
  });
});

function learn(schema: Explained | undefined): Explain | undefined {
  if (!schema) return undefined;
  const made = createExplain(schema);
  known.set(schema.hash, made, { size: Math.min(made.bytes, limits.explainCacheBytes) });
  return made;
}
