import type { Column } from '@sluice/shared/columns/columns.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { ExportJob, ExportShape } from '@sluice/shared/store/job-records.ts';
import { idBytesOf } from '@sluice/shared/store/raw-document.ts';
import type { Hold } from '../export/hold.ts';
import type { LeaveOut } from '../export/leave-out.ts';
import { readPages } from '../export/read-pages.ts';
import { UnknownLeaf } from '../formats/unknown-leaf.ts';
import { createSeenEntries } from './seen-entries.ts';
import { createSurvey } from './survey.ts';

interface Dependencies {
  store: Pick<Store, 'jobs' | 'rawEntries'>;
  leaveOut: LeaveOut;
}

/**
 * Finds which columns the arrays of an export have: reads all of its entries and keeps the result in the record of the
 * job, so that whoever goes on with the file writes the same ones. A worker that dies before leaves nothing of it.
 */
export function createDiscover({ store: { jobs, rawEntries }, leaveOut }: Dependencies) {
  /** Undefined where the columns are known beforehand; 'unfinished' where this process is to stop. */
  return async function discover(
    job: ExportJob,
    columns: Column[],
    hold: Hold,
  ): Promise<ExportShape | 'unfinished' | undefined> {
    const { cut, options } = job;
    const { arrays, from, to } = options;
    if (job.shape || options.format !== 'csv' || arrays === 'json') return job.shape;
    const survey = createSurvey({ columns, selected: options.columns, arrays });
    // One table is read once.
    const entries = arrays === 'rows' ? createSeenEntries(job.createdAt) : undefined;

    function look(document: Buffer): UnknownLeaf | undefined {
      entries?.add(idBytesOf(document));
      try {
        survey.add(document);
        return undefined;
      } catch (error) {
        if (error instanceof UnknownLeaf) return error;
        throw error;
      }
    }

    if (cut)
      for await (const page of readPages(rawEntries, job.application, { from, to, cut })) {
        hold.check();
        for (const document of page) {
          const unknown = look(document);
          if (unknown) await leaveOut(job, unknown);
        }
        if (hold.isStopping()) return 'unfinished';
      }
    const shape: ExportShape = { tables: survey.tables(), seen: entries?.seen() };
    if (!(await jobs.exports.setShape(job.id, job.fence, shape))) {
      hold.lose();
      hold.check();
    }
    return shape;
  };
}
