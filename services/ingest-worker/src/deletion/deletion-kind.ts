import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimInSession,
  countTotal,
  type JobEnd,
  type JobKind,
  type SessionTurn,
} from '@sluice/jobs/kind.ts';
import type { DeletionJob } from '@sluice/jobs/record/job-records.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';

/** Entries deleted by one transaction. */
const batch = 1_000;

interface Dependencies {
  store: Pick<Store, 'applications' | 'entries' | 'deletions' | 'jobs'>;
  leaseMs: number;
  log: Logger;
}

/** Deletes entries. A job continues where it stopped, and counts each entry once. */
export function deletionKind({ store, leaseMs, log }: Dependencies): JobKind<DeletionJob> {
  const { applications, entries, deletions, jobs } = store;

  async function deleteAll(job: DeletionJob, { session, check, giveWay }: SessionTurn): Promise<JobEnd> {
    const { id, fence, application, options } = job;
    if (!(await applications.byId(application))) throw new ApplicationDeleted();
    const selection = selectionOf(options);
    let deleted = job.done;
    const count = async () => job.done + (await entries.count(application, selection));
    if (!job.after) void countTotal(jobs, job, count, log);
    const walked = { ...selection, after: job.after };
    for await (const { query, first, last } of entries.pieces(application, walked, batch)) {
      check();
      if (!first) continue;
      deleted += await deletions.remove(application, query, {
        session,
        async before() {
          if (!(await jobs.renew(id, fence, leaseMs, session))) throw new LeaseLost();
        },
        after: (_, deleted) => jobs.advance(job, { done: deleted, after: last }, session),
      });
      if (last) await giveWay();
    }
    return { result: { result: { deleted } } };
  }

  return { kind: 'deletion', next: (job) => claimInSession(jobs, job, leaseMs, deleteAll) };
}
