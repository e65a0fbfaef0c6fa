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
import { untilPassed } from '@sluice/jobs/until-passed.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { firstKeyAt, timeOfId } from '@sluice/store/entries/entry-id.ts';
import { readAhead } from '@sluice/store/entries/read-ahead.ts';
import { readPayloadOf } from '@sluice/store/entries/read-document.ts';

const pageEntries = 1_000;

interface Dependencies {
  store: Pick<
    Store,
    'applications' | 'entries' | 'horizon' | 'jobs' | 'milestones' | 'rawEntries' | 'valueSurveys'
  >;
  leaseMs: number;
  log: Logger;
}

/**
 * Counts the stored entries that would have been repeated if a member had been unique. Once it is unique, gives them their values.
 */
export function uniqueKind({ store, leaseMs, log }: Dependencies): JobKind<UniqueJob> {
  const { applications, entries, horizon, jobs, milestones, rawEntries, valueSurveys } = store;

  async function survey(job: UniqueJob, { session, check, giveWay }: SessionTurn): Promise<JobEnd> {
    const { id, application, options } = job;
    const { path, until, gives, since } = options;
    const result = { checked: 0, repeated: 0, conflicting: 0, ...job.result };
    if (until === undefined) return { result: { result } };
    if (!job.after) void countTotal(jobs, job, () => entries.count(application, {}, until), log);
    // Nothing may come later that was stored before every process knew of the unique member.
    const border = { application, time: timeOfId(until).getTime(), announced: Number.POSITIVE_INFINITY };
    if (gives) await untilPassed(horizon, border, { check, giveWay });
    const which = { after: job.after, until, members: fromPointer(path).slice(0, 1) };
    for await (const { documents, last } of readAhead(rawEntries, application, which, () => pageEntries)) {
      check();
      // Another member is unique by now: another job gives its values.
      if (gives && (await applications.byId(application))?.unique?.path !== path) break;
      const hashed = documents.flatMap((document) => {
        const hash = uniqueIn({ id: application, unique: { path } }, readPayloadOf(document));
        return hash ? [{ key: Buffer.from(keyBytesOf(document)), hash }] : [];
      });
      const first = since && firstKeyAt(application, since).buffer;
      if (gives)
        await entries.giveValues(hashed.filter(({ key }) => !first || Buffer.compare(key, first) >= 0));
      const counts = { checked: documents.length, ...(await valueSurveys.note(id, hashed)) };
      await jobs.advance(job, { done: documents.length, after: last, result: counts }, session);
      result.checked += counts.checked;
      result.repeated += counts.repeated;
      result.conflicting += counts.conflicting;
      await giveWay();
    }
    if (gives) await milestones.reset(application);
    return { result: { result } };
  }

  return {
    kind: 'unique',
    next: (job) => claimInSession(jobs, job, leaseMs, survey),

    // A failed job may be retried.
    async onEnd(jobId, state) {
      if (state !== 'failed') await valueSurveys.remove(jobId);
      const job = state === 'completed' ? undefined : await jobs.get(jobId);
      if (job?.kind === 'unique' && job.options.gives) await milestones.reset(job.application);
    },
  };
}
