import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchiveJob, ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import { untilPassed } from '@sluice/jobs/until-passed.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { type EntryId, highest, lastIdBefore, timeOfId } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { widthOf } from '@sluice/tables/columns.ts';

type Stores = Pick<
  Store,
  'applications' | 'archives' | 'fields' | 'horizon' | 'jobs' | 'rawEntries' | 'schemas'
>;

/** Fixes what a run archives: all that was acknowledged before, and that no run before it has. */
export async function planRun(
  { applications, archives, fields, horizon, jobs, rawEntries, schemas }: Stores,
  job: ArchiveJob,
  { covers, format, id, asked }: Pick<ArchiveRecord, 'covers' | 'format' | 'id' | 'asked'>,
  turn: Pick<Turn, 'check' | 'giveWay'>,
): Promise<ArchivePlan> {
  if (job.plan) return job.plan;
  await archives.takeUp(job.application, id);
  const { until: newest, announced } = await rawEntries.cut(job.application);
  // Whoever announced older entries by then has noted it in the same transaction.
  const lateSince = (await archives.get(job.application, id))?.late?.since;
  // The newest entries may have been deleted.
  const highestId = highest(covers.until, newest);
  // For questions all of its millisecond, so that an answer can name a time.
  const until = highestId && asked ? lastIdBefore(new Date(timeOfId(highestId).getTime() + 1)) : highestId;
  if (until)
    await untilPassed(
      horizon,
      { application: job.application, time: timeOfId(until).getTime(), announced },
      turn,
    );
  // Only now: fields and versions are recorded before their entries, and all entries of the run are there.
  const plan: ArchivePlan = {
    before: covers,
    covers: { ...(until && { until }), announced },
    ...(lateSince && { lateSince }),
    ...(await columnsNow({ applications, fields, schemas }, job.application, format)),
  };
  if (!(await jobs.archives.setPlan(job.id, job.fence, plan))) throw new LeaseLost();
  return plan;
}

/** What the columns of files depend on, which have all entries that are stored by now. */
export async function columnsNow(
  { applications, fields, schemas }: Pick<Stores, 'applications' | 'fields' | 'schemas'>,
  id: string,
  format: ArchiveRecord['format'],
): Promise<Omit<ArchivePlan, 'before' | 'covers' | 'lateSince'>> {
  const application = await applications.byId(id);
  if (!application) throw new ApplicationDeleted();
  const recorded = await fields.of(application.id);
  const first = await schemas.of(application, 1);
  if (!first) throw new ApplicationDeleted();
  const width =
    format === 'ndjson'
      ? { leafCount: recorded.pointers.length }
      : widthOf(parseSchema(first.rawSchema), recorded);
  return { version: application.version, ...width, hasLarge: recorded.hasLarge || recorded.closed };
}

/** The run's entries come after this one. */
export function startOf({ before: { until }, lateSince }: ArchivePlan): EntryId | undefined {
  if (until === undefined || lateSince === undefined) return until;
  const late = lastIdBefore(lateSince);
  return late < until ? late : until;
}
