import { idOf } from '@sluice/bson/entry.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimInSession,
  countTotal,
  type JobEnd,
  type JobKind,
  type SessionTurn,
} from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import { type ErasureJob, type ErasureStep, erasureSteps } from '@sluice/jobs/record/erasure-record.ts';
import type { ArchiveFolder } from '@sluice/objects/open-store.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Beside } from '@sluice/store/entries/deletions.ts';
import { type MemberCondition, selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { idOfKey } from '@sluice/store/entries/entry-id.ts';
import type { Meeting } from '@sluice/store/refused/meeting-refused.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { removeAskedFolder } from '../archive/asked-folders.ts';
import { createReadEntries, type ReadEntriesOptions } from '../export/read-entries.ts';

/** Entries deleted by one transaction. */
const batch = 1_000;
const jobsAtOnce = 50;
const waitMs = 1_000;

interface Dependencies extends ReadEntriesOptions {
  store: Store;
  /** Where the files for questions are. */
  archiveFolder: ArchiveFolder | undefined;
  leaseMs: number;
  retentionMs: number;
  log: Logger;
}

/** Removes entries and the copies of their payloads. Each step may run again; what is removed is counted in the same transaction. */
export function erasureKind({
  archiveFolder,
  leaseMs,
  retentionMs,
  log,
  ...options
}: Dependencies): JobKind<ErasureJob> {
  const { store } = options;
  const readEntries = createReadEntries(options);
  const {
    applications,
    archives,
    askedArchives,
    chunks,
    deletions,
    deliveries,
    entries,
    erased,
    jobs,
    parts,
  } = store;
  const { rawEntries, refused } = store;
  const { erasures } = jobs;

  async function renew({ id, fence }: ErasureJob, session: SessionTurn['session']): Promise<void> {
    if (!(await jobs.renew(id, fence, leaseMs, session))) throw new LeaseLost();
  }

  /** Jobs that were under way when a step first asked may still store what they read: the erasure goes on when they are over. */
  async function waitForOthers(job: ErasureJob): Promise<void> {
    const before = job.awaited ?? (await erasures.underWay(job.application));
    const awaited = await erasures.stillUnderWay(before);
    await erasures.note(job, { awaited });
    if (awaited.length > 0) throw new Postpone(waitMs);
  }

  async function eraseRefused(job: ErasureJob, { session, check }: SessionTurn): Promise<void> {
    const { application } = job;
    for await (const ids of refused.meeting(application, meetingOf(job))) {
      check();
      if (ids.length === 0) continue;
      await session.withTransaction(async () => {
        await renew(job, session);
        const removed = await refused.erase(application, ids, session);
        await erased.note(job, ids, session);
        await erasures.note(job, {}, { refused: removed }, session);
      });
    }
  }

  /** The cut comes after the refused uploads: a replay cannot make entries of them behind it. */
  async function cut(job: ErasureJob): Promise<ErasureJob> {
    if (job.until) return job;
    const { until } = await rawEntries.cut(job.application);
    if (until) await erasures.note(job, { until });
    return { ...job, ...(until && { until }) };
  }

  async function eraseEntries(job: ErasureJob, { session, check, giveWay }: SessionTurn): Promise<void> {
    const { application, until, after } = await cut(job);
    if (!until) return;
    const walked = { filter: meetingOf(job).conditions, until, after };
    if (!after)
      void countTotal(jobs, job, async () => job.done + (await entries.count(application, walked)), log);
    for await (const { query, first, last } of entries.pieces(application, walked, batch)) {
      check();
      if (!first) continue;
      await deletions.remove(application, query, beside(job, last, session));
      if (last) await giveWay();
    }
  }

  /** What is written with a deletion. `last`: the step goes on after it. */
  const beside = (job: ErasureJob, last: string | undefined, session: SessionTurn['session']): Beside => ({
    session,
    before: () => renew(job, session),
    async after(_, deleted, keys) {
      await erased.note(job, keys.map(idOfKey), session);
      await erasures.note(job, last ? { after: last } : {}, { entries: deleted }, session);
    },
  });

  /** Entries that archives have, and MongoDB no more: the next runs list them as deleted. */
  async function eraseArchived(job: ErasureJob, { session, check, giveWay }: SessionTurn): Promise<void> {
    const { application, after } = job;
    const archived = await applications.archived(application);
    if (!archived) return;
    const wanted = { filter: meetingOf(job).conditions, until: archived.until, after };
    for await (const { documents, last } of readEntries({ ...job, followsArchive: true }, wanted)) {
      check();
      if (documents.length > 0)
        await deletions.removeArchived(application, documents.map(idOf), beside(job, last, session));
      await giveWay();
    }
  }

  async function sweep(ids: string[]): Promise<void> {
    for (const id of ids) {
      await chunks.remove(id);
      await parts.sweep(id);
    }
  }

  /** Deliveries, and the files and records of jobs. */
  async function removeCopies(job: ErasureJob, { session, check }: SessionTurn): Promise<void> {
    const { application, unswept = [] } = job;
    await sweep(unswept);
    await deliveries.forget(application);
    await erasures.failExports(application, new Date(Date.now() + retentionMs));
    await sweep(await erasures.failedExports(application));
    await waitForOthers(job);
    for (;;) {
      check();
      const removed = await erasures.removeOver(job, jobsAtOnce, session);
      if (removed.length === 0) return;
      await sweep(removed);
    }
  }

  /** The next question makes files anew. What a run under way still writes is removed within hours, as files of no archive. */
  async function noteInArchives({ application, id }: ErasureJob): Promise<void> {
    await archives.noteErasure(application, id);
    const forgotten = await askedArchives.forget(application);
    if (forgotten && archiveFolder !== undefined) await removeAskedFolder(archiveFolder, forgotten);
  }

  const steps: Record<ErasureStep, (job: ErasureJob, turn: SessionTurn) => Promise<void>> = {
    wait: waitForOthers,
    refused: eraseRefused,
    entries: eraseEntries,
    lake: eraseArchived,
    // Refused uploads wait in memory for half a second before they are stored.
    late: eraseRefused,
    copies: removeCopies,
    archives: noteInArchives,
  };

  async function erase(job: ErasureJob, turn: SessionTurn): Promise<JobEnd> {
    if (!(await applications.byId(job.application))) throw new ApplicationDeleted();
    const reached = erasureSteps.indexOf(job.step ?? 'wait');
    for (const step of erasureSteps.slice(reached)) {
      const isNew = step !== job.step;
      if (isNew) await erasures.enter(job, step);
      await steps[step](isNew ? { ...job, awaited: undefined, after: undefined } : job, turn);
    }
    const result = await erasures.resultOf(job.id);
    return { result: { result }, isKept: result.entries + result.refused > 0 };
  }

  return { kind: 'erasure', next: (job) => claimInSession(jobs, job, leaseMs, erase) };
}

function meetingOf({ options }: ErasureJob): Meeting {
  const conditions = selectionOf({ filter: options.target }).filter as MemberCondition[];
  if (!options.byValue) return { conditions, texts: [] };
  const values = conditions.flatMap((one) => (one.operator === 'in' ? one.value : []));
  // As a string is, and as JSON has it.
  const texts = values.map(String).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return { conditions, texts };
}
