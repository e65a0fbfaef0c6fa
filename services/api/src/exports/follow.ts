import { setTimeout as pause } from 'node:timers/promises';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import type { PartStore } from '@sluice/jobs/record/parts.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import { readParts } from '../jobs/read-parts.ts';

const pollMs = 40;
/** A worker that died is replaced within 20 s; one that makes nothing for this long is not coming back. */
const stalledMs = 120_000;

interface Dependencies {
  jobs: JobStore;
  parts: PartStore;
}

/** A job also goes with its application. */
const cancelled = (id: string) =>
  new ApiError('ResourceConflictError', `export ${id} was cancelled, or its application deleted`);

/** Whether the job has left the queue within `ms`; resolves as soon as it has. */
export async function waitForStart(
  jobs: JobStore,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await jobs.follow(id, 0);
    if (!seen) throw cancelled(id);
    if (seen.state !== 'waiting') return true;
    if (performance.now() >= deadline) return false;
    await pause(pollMs, undefined, { signal });
  }
}

/**
 * Yields the parts of a file in order, each as soon as it is committed, and ends after the last one.
 * Throws when the job ends otherwise, so that a reader never takes a piece for the whole.
 */
export async function* followParts(
  { jobs, parts }: Dependencies,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let next = 0;
  let movedAt = performance.now();
  for (;;) {
    const seen = await jobs.follow(id, next);
    if (!seen || seen.state === 'cancelled') throw cancelled(id);
    if (seen.state === 'failed') {
      const name = seen.isDefect ? 'InternalServerError' : 'InvalidRequestError';
      throw new ApiError(name, `export ${id} failed: ${seen.error}`);
    }
    if (seen.parts.length > 0) {
      yield* readParts(parts, seen.parts);
      next += seen.parts.length;
      movedAt = performance.now();
      continue;
    }
    if (seen.state === 'completed') return;
    // It has given way to others: its turn will come.
    if (seen.state === 'waiting') movedAt = performance.now();
    if (performance.now() - movedAt > stalledMs) throw unavailable(`export ${id} does not go on`);
    await pause(pollMs, undefined, { signal });
  }
}
