import type { Column } from '@sluice/schemas/columns/columns.ts';
import { LeaseLost } from '@sluice/shared/lease.ts';
import type { Store } from '@sluice/store/connect.ts';
import { idBytesOf } from '@sluice/store/entries/raw-document.ts';
import type { ExportJob, ExportShape } from '@sluice/store/jobs/job-records.ts';
import { fileColumns } from '../formats/parquet/file-columns.ts';
import { createNumberSurvey } from '../formats/parquet/open-numbers.ts';
import { createSeenEntries } from '../shape/seen-entries.ts';
import { createSurvey } from '../shape/survey.ts';
import type { Claim } from './claim.ts';
import { addUnlessLate, type LeaveOut } from './leave-out.ts';
import { readPages } from './read-pages.ts';

interface Dependencies {
  store: Pick<Store, 'jobs' | 'rawEntries'>;
  leaveOut: LeaveOut;
}

interface Known {
  schema: Record<string, unknown>;
  columns: Column[];
}

/** Looks at entries for what neither the schema nor the record of fields tells of the columns. */
interface Survey {
  add(document: Buffer): void;
  shape(): ExportShape;
}

/** Undefined where all is known. */
function surveyFor(
  { createdAt, options, hasLarge }: ExportJob,
  { schema, columns }: Known,
): Survey | undefined {
  const { format, arrays, columns: selected } = options;
  if (format === 'parquet') {
    if (hasLarge === false) return undefined;
    const survey = createNumberSurvey(fileColumns({ schema, columns, selected }).tree);
    return survey && { add: survey.add, shape: () => ({ tables: [], numbers: survey.numbers() }) };
  }
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
 * Finds which columns the arrays of an export have, or how Parquet is to hold its numbers: reads all of its entries and keeps
 * the result in the record of the job, so that whoever goes on with the file writes the same ones. A worker that dies before
 * leaves nothing of it.
 */
export function createDiscover({ store: { jobs, rawEntries }, leaveOut }: Dependencies) {
  /** Undefined where the columns are known beforehand; 'unfinished' where this process is to stop. */
  return async function discover(
    job: ExportJob,
    known: Known,
    { lease, signal }: Claim,
  ): Promise<ExportShape | 'unfinished' | undefined> {
    const { cut, options } = job;
    const { from, to } = options;
    const survey = job.shape ? undefined : surveyFor(job, known);
    if (!survey) return job.shape;

    if (cut)
      for await (const page of readPages(rawEntries, job.application, { from, to, cut })) {
        lease.check();
        for (const document of page) {
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
