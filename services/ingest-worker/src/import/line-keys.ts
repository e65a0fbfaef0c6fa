import { createHash } from 'node:crypto';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import { createLineKeys } from '@sluice/store/entries/entry-id.ts';

/** The keys of a chunk's lines: a line always has the same one, whoever stores it. */
export function lineKeysOf({ job, application, stamp, earlier }: ClaimedChunk) {
  const source = createHash('sha256').update(job).digest();
  const keysAt = (time: number) => createLineKeys(application, time, source);
  const keyOf = keysAt(stamp);
  return {
    /** `createdAt`: of a line that brings its time. */
    keyOf: (line: number, createdAt?: number) => (createdAt === undefined ? keyOf : keysAt(createdAt))(line),
    /** With times of before the import failed. */
    earlier: earlier.map(keysAt),
  };
}
