import { keyBytesOf } from '@sluice/bson/entry.ts';
import { uniqueIn } from '@sluice/intake/unique.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import {
  claimInSession,
  countTotal,
  type JobEnd,
  type JobKind,
  type SessionTurn,
} from '@sluice/jobs/kind.ts';
import type { UniqueJob } from '@sluice/jobs/record/job-records.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { readAhead } from '@sluice/store/entries/read-ahead.ts';
import { readPayloadOf } from '@sluice/store/entries/read-document.ts';

const pageEntries = 1_000;

interface Dependencies {
  store: Pick<Store, 'entries' | 'jobs' | 'rawEntries' | 'valueSurveys'>;
  leaseMs: number;
  log: Logger;
}

/** Counts the stored entries that would have been repeated if a member had been unique, and changes nothing. */
export function uniqueKind({ store, leaseMs, log }: Dependencies): JobKind<UniqueJob> {
  const { entries, jobs, rawEntries, valueSurveys } = store;

  async function survey(job: UniqueJob, { session, check, giveWay }: SessionTurn): Promise<JobEnd> {
    const { id, application, options } = job;
    const { path, until } = options;
    const result = { checked: 0, repeated: 0, conflicting: 0, ...job.result };
    if (until === undefined) return { result: { result } };
    if (!job.after) void countTotal(jobs, job, () => entries.count(application, {}, until), log);
    const which = { after: job.after, until, members: fromPointer(path).slice(0, 1) };
    for await (const { documents, last } of readAhead(rawEntries, application, which, () => pageEntries)) {
      check();
      const hashed = documents.flatMap((document) => {
        const hash = uniqueIn({ id: application, unique: { path } }, readPayloadOf(document));
        return hash ? [{ key: Buffer.from(keyBytesOf(document)), hash }] : [];
      });
      const counts = { checked: documents.length, ...(await valueSurveys.note(id, hashed)) };
      await jobs.advance(job, { done: documents.length, after: last, result: counts }, session);
      result.checked += counts.checked;
      result.repeated += counts.repeated;
      result.conflicting += counts.conflicting;
      await giveWay();
    }
    return { result: { result } };
  }

  return {
    kind: 'unique',
    next: (job) => claimInSession(jobs, job, leaseMs, survey),

    // A failed job may be retried.
    async onEnd(jobId, state) {
      if (state !== 'failed') await valueSurveys.remove(jobId);
    },
  };
}
