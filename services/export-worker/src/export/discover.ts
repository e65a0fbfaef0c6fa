import type { Store } from '@sluice/jobs/connect.ts';
import type { Turn } from '@sluice/jobs/kind.ts';
import type { ExportJob, ExportShape } from '@sluice/jobs/record/export-record.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { largeNumbers } from '@sluice/store/applications/fields.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { UnknownField, Unrepresentable } from '../formats/format.ts';
import { surveyKinds } from '../formats/parquet/file-columns.ts';
import { createSurvey } from '../shape/survey.ts';
import type { KnownColumns } from './open-format.ts';
import type { ReadEntries } from './read-entries.ts';

/** Reads entries to find columns that neither the schema nor the recorded fields determine. */
interface Survey {
  /** The members of payloads that it looks at; absent: all. */
  members?: string[];
  add(document: Buffer): void;
  shape(): ExportShape;
}

/** Undefined if all columns are known. */
function surveyFor(job: ExportJob, known: KnownColumns): Survey | undefined {
  const { shape, hasLarge } = job;
  const { format, arrays, columns: selected } = job.options;
  if (format === 'parquet') {
    if (shape) return undefined;
    const survey = surveyKinds({ ...known, selected }, hasLarge !== false);
    return survey && { ...survey, shape: () => ({ tables: [], kinds: survey.kinds() }) };
  }
  if (shape) return undefined;
  const { columns } = known;
  if (format !== 'csv' || arrays === 'json') return undefined;
  const survey = createSurvey({ columns, selected, arrays });
  return { add: survey.add, shape: () => ({ tables: survey.tables() }) };
}

/**
 * Reads all entries to find the columns of arrays, or the types of Parquet columns.
 * The job's record keeps the result, so that later workers write the same columns.
 */
export function createDiscover(
  { jobs }: Pick<Store, 'jobs'>,
  { readEntries, leaveOut }: { readEntries: ReadEntries; leaveOut: LeaveOut },
) {
  return async function discover(
    job: ExportJob,
    known: KnownColumns,
    { check }: Pick<Turn, 'check'>,
  ): Promise<ExportShape | undefined> {
    const { cut, options } = job;
    const survey = surveyFor(job, known);
    if (!survey) return job.shape;

    if (cut)
      for await (const { documents } of readEntries(job, {
        ...selectionOf(options),
        until: cut,
        announced: job.announced,
        members: survey.members,
      })) {
        check();
        for (const document of documents) {
          const unknown = addUnlessLate(survey.add, document);
          if (unknown) await leaveOut(job, unknown);
        }
      }
    const shape = survey.shape();
    if (!(await jobs.exports.setShape(job.id, job.fence, shape))) throw new LeaseLost();
    return shape;
  };
}

/** Adds an entry. Returns the error if the entry may have come after the columns were determined. */
export function addUnlessLate(
  add: (document: Buffer) => void,
  document: Buffer,
): UnknownField | Unrepresentable | undefined {
  try {
    add(document);
    return undefined;
  } catch (error) {
    if (error instanceof UnknownField || (error instanceof Unrepresentable && error.isLate)) return error;
    throw error;
  }
}

type LeaveOut = ReturnType<typeof createLeaveOut>;

/**
 * Leaves out an entry with an unknown field or number, if the application recorded the field after the job began.
 * Otherwise the export fails.
 */
export function createLeaveOut({ fields }: Pick<Store, 'fields'>, log: Logger) {
  return async function leaveOut(job: ExportJob, unknown: UnknownField | Unrepresentable): Promise<void> {
    const { pointers, hasLarge } = await fields.of(job.application);
    const isLater =
      unknown instanceof UnknownField
        ? pointers.indexOf(unknown.pointer) >= job.leafCount
        : hasLarge && job.hasLarge === false;
    if (!isLater) {
      // An API of an earlier release does not record large numbers. The next export will survey them.
      if (unknown instanceof Unrepresentable) await fields.add(job.application, [largeNumbers]);
      throw unknown;
    }
    log.info({ event: 'export.later', job: job.id });
  };
}
