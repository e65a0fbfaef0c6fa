import { LRUCache } from 'lru-cache';

/** What is kept of an application at once, and then each second. Normal use keeps all of it. */
const burst = 500;
const perSecond = 50;
/** A larger payload counts as several. */
const usualBytes = 4 * 1024;
const applications = 5_000;

/** Says which refused uploads are kept where very many come, by a token bucket for each application. */
export function createSampling() {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: applications });

  return (application: string, bytes: number): boolean => {
    const now = performance.now();
    const bucket = buckets.get(application) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    buckets.set(application, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= Math.max(1, bytes / usualBytes);
    return true;
  };
}
