import { type Column, columnsOf } from '@sluice/schemas/columns/columns.ts';
import { widthOf } from '@sluice/schemas/columns/width.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { ExportJob, ExportOptions } from '@sluice/store/jobs/job-records.ts';
import type { Dependencies } from '../dependencies.ts';

/** Commits an export to MongoDB, then puts its id on the queue; without the queue there is no export. */
export function createExport({
  store: { rawEntries, fields, jobs, deletions },
  queues,
  quotas,
  log,
}: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  return async (
    application: ApplicationRecord,
    options: ExportOptions,
    transient: boolean,
  ): Promise<ExportJob> => {
    await quotas.check('jobs', application.owner.id);
    if (!transient) await quotas.check('storedExports', application.owner.id);
    const deletionsBefore = await deletions.count(application.id);
    // In this order: a field is recorded before its entry, so every entry up to the cut has its columns.
    const cut = await rawEntries.cut(application.id);
    const recorded = await fields.of(application.id);
    const schema = parseSchema(application.rawSchema);
    if (options.columns) refuseColumns(options, columnsOf(schema, recorded.pointers));
    const isWhole = options.columns !== undefined || options.format === 'ndjson';
    const width = isWhole ? { leafCount: recorded.pointers.length } : widthOf(schema, recorded);
    const job = await jobs.exports.create({
      application: application.id,
      owner: application.owner.id,
      domain: application.domain,
      options,
      cut,
      ...width,
      hasLarge: recorded.hasLarge || recorded.closed,
      transient,
    });
    // From here on whoever deletes some of its entries sees the job.
    if ((await deletions.countAfresh(application.id)) !== deletionsBefore)
      await jobs.exports.setDeletedMeanwhile(job.id);
    try {
      await queues.exports.enqueue(job);
      return job;
    } catch (error) {
      log.warn({ event: 'export.refused', job: job.id, reason: (error as Error).message });
      await jobs.cancel(job.id, new Date());
      throw unavailable('exports cannot be made now: the queue is away', 5, error);
    }
  };
}

function refuseColumns({ columns = [], arrays }: ExportOptions, all: Column[]): void {
  const known = new Set(all.map(({ name }) => name));
  const hint = (name: string) => {
    const whole = arrays === 'columns' ? /^(.+?)\.\d+(?:\.|$)/.exec(name)?.[1] : undefined;
    return whole !== undefined && known.has(whole)
      ? `: take ${whole.slice(0, 100)}, for all of its elements`
      : '';
  };
  const unknown = columns.filter((name) => !known.has(name));
  const seen = new Set<string>();
  const twice = columns.filter((name) => known.has(name) && seen.size === seen.add(name).size);
  const messages = [
    ...unknown.map((name) => `there is no column ${name.slice(0, 100)}${hint(name)}`),
    ...twice.map((name) => `the column ${name.slice(0, 100)} is named twice`),
  ];
  if (messages.length === 0) return;
  const details = messages.slice(0, 50).map((message) => ({ path: '/columns', keyword: 'columns', message }));
  throw new ApiError('InvalidRequestError', details[0]?.message as string, { details });
}
