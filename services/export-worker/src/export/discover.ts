import type { Store } from '@sluice/jobs/connect.ts';
import type { Turn } from '@sluice/jobs/kind.ts';
import type { ExportJob, ExportShape } from '@sluice/jobs/record/export-record.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { idBytesOf } from '@sluice/store/entries/raw-document.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { surveyKinds } from '../formats/parquet/file-columns.ts';
import { createSeenEntries } from '../shape/seen-entries.ts';
import { createSurvey } from '../shape/survey.ts';
import { addUnlessLate, type LeaveOut } from './leave-out.ts';
import { datesOf, type Known } from './open-format.ts';
import { readPages } from './read-pages.ts';

interface Dependencies {
  store: Pick<Store, 'jobs' | 'rawEntries'>;
  leaveOut: LeaveOut;
}

/** Looks at entries for what neither the schema nor the record of fields tells of the columns. */
interface Survey {
  add(document: Buffer): void;
  shape(): ExportShape;
}

/** Undefined where all is known. */
function surveyFor(job: ExportJob, known: Known): Survey | undefined {
  const { createdAt, shape, hasLarge } = job;
  const { format, arrays, columns: selected } = job.options;
  if (format === 'parquet') {
    // A worker of before there were versions may have told of numbers alone: it finds the same again.
    if (shape?.kinds) return undefined;
    const survey = surveyKinds({ ...known, selected, dates: datesOf(job) }, hasLarge !== false);
    return survey && { add: survey.add, shape: () => ({ tables: [], kinds: survey.kinds() }) };
  }
  if (shape) return undefined;
  const { columns } = known;
  if (format !== 'csv' || arrays === 'json') return undefined;
  const survey = createSurvey({ columns, selected, arrays });
  // One table is read once.
  const entries = arrays === 'rows' ? createSeenEntries(createdAt) : undefined;
  return {
    add(document) {
      entries?.add(idBytesOf(document));
      survey.add(document);
    },
    shape: () => ({ tables: survey.tables(), seen: entries?.seen() }),
  };
}

/**
 * Reads all entries of an export to find the columns of its arrays, or the types of Parquet's columns.
 *
 * The record of the job keeps the result, so that another worker continues with the same columns.
 */
export function createDiscover({ store: { jobs, rawEntries }, leaveOut }: Dependencies) {
  /** Undefined where the columns are known beforehand; 'unfinished' where this process is to stop. */
  return async function discover(
    job: ExportJob,
    known: Known,
    { checkLease, signal }: Pick<Turn, 'checkLease' | 'signal'>,
  ): Promise<ExportShape | 'unfinished' | undefined> {
    const { cut, options } = job;
    const survey = surveyFor(job, known);
    if (!survey) return job.shape;

    if (cut)
      for await (const { documents } of readPages(rawEntries, job.application, {
        ...selectionOf(options),
        cut,
      })) {
        checkLease();
        for (const document of documents) {
          const unknown = addUnlessLate(survey.add, document);
          if (unknown) await leaveOut(job, unknown);
        }
        if (signal.aborted) return 'unfinished';
      }
    const shape = survey.shape();
    if (!(await jobs.exports.setShape(job.id, job.fence, shape))) throw new LeaseLost();
    return shape;
  };
}
