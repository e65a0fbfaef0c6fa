import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { until } from './sluice.ts';

/** The record of an export of an owner, queued later than all before it. */
export async function createOwnedExport({ jobs }: Pick<Store, 'jobs'>, owner: string): Promise<ExportJob> {
  const created = await jobs.exports.create({
    application: 'd'.repeat(24),
    owner,
    domain: 'test',
    options: { format: 'csv', formulas: 'escape', arrays: 'json' },
    version: 1,
    leafCount: 0,
    transient: false,
  });
  // Times are in milliseconds: the next job is later than this one.
  await until(async () => Date.now() > created.queuedAt.getTime());
  return created;
}
