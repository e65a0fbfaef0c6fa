import { serve } from '@sluice/threads/serve.ts';
import { LRUCache } from 'lru-cache';
import type { Outline } from '../judge/compiled-schema.ts';
import { limits } from '../limits.ts';
import { createExplain, type Explain, type Explanation } from './create-explain.ts';

/** What is told of a schema that was accepted. */
export interface Explained extends Pick<Outline, 'hash' | 'linked' | 'draft'> {
  /** Ajv takes too long to compile it, so the judge finds the place of a fault. */
  isSlow?: boolean;
}

/** A message to the thread of ./questions.ts, which remembers the latest schemas. */
export interface ExplainRequest {
  /** Each body is the next `length` bytes of `bodies`. */
  questions: { hash: string; length: number }[];
  bodies: Uint8Array<ArrayBuffer>;
  /** The schemas that the thread did not know. */
  schemas: Explained[];
  /** The thread writes which question it is at, and 1 while it compiles, for the case that it ends there. */
  progress: Int32Array;
}

/** `unknown`: without the schema. `later`: the message had its time. `tookMs`: processor time. */
export type ExplainAnswer = (Explanation & { tookMs: number }) | 'unknown' | 'later';

/** A larger schema would displace many others. */
const known = new LRUCache<string, Explain>({
  maxSize: limits.explainCacheBytes,
  maxEntrySize: limits.explainCacheBytes / 4,
});
/** The latest of these. */
let large: { hash: string; own: Explain } | undefined;

serve<ExplainRequest, ExplainAnswer[]>(({ questions, bodies, schemas, progress }) => {
  const end = performance.now() + limits.explainMessageMs;
  let from = 0;
  return questions.map(({ hash, length }, i) => {
    const body = Buffer.from(bodies.buffer, from, length);
    from += length;
    if (performance.now() > end) return 'later';
    const began = usedMs();
    progress[0] = i;
    const told = schemas.find((schema) => schema.hash === hash);
    const own = recall(hash) ?? (told && learn(told, progress));
    return own ? { ...own.explain(body), tookMs: usedMs() - began } : 'unknown';
  });
});

const recall = (hash: string) => known.get(hash) ?? (large?.hash === hash ? large.own : undefined);

function learn(schema: Explained, progress: Int32Array): Explain {
  progress[1] = 1;
  const own = createExplain(schema);
  progress[1] = 0;
  const { hash } = schema;
  known.set(hash, own, { size: own.bytes });
  if (!known.has(hash)) large = { hash, own };
  return own;
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
