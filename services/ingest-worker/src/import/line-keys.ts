import { createHash } from 'node:crypto';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import type { KeyedEntry } from '@sluice/store/entries/entries.ts';
import { createLineKeys } from '@sluice/store/entries/entry-id.ts';

/** `createdAt`: of a line that brings its time. */
type KeyOf = (line: number, createdAt?: number) => KeyedEntry['key'];

/**
 * The keys of a chunk's lines: a line has the same one, whoever stores it, until the import fails. Then it gets another, as archives may have
 * listed the entry as deleted.
 */
export function lineKeysOf({ job, application, stamp, earlier }: ClaimedChunk) {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const own = hash(job);
  const attempts = [...earlier, stamp].map((time, at): KeyOf => {
    const keyOf = createLineKeys(application, time, own);
    const source = at === 0 ? own : hash(`${job}/${at}`);
    return (line, createdAt) =>
      (createdAt === undefined ? keyOf : createLineKeys(application, createdAt, source))(line);
  });
  return {
    keyOf: attempts.at(-1) as KeyOf,
    /** Of before the import failed. */
    earlier: attempts.slice(0, -1),
  };
}
