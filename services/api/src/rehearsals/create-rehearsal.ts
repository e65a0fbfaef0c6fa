import type { RehearsalJob, RehearsalOptions } from '@sluice/jobs/record/chunked-records.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueOrCancel } from '../jobs/enqueue.ts';

type Needs = 'store' | 'compiler' | 'queues' | 'quotas' | 'log';

/** Commits a rehearsal to MongoDB, then calls workers to it; without the queue there is no rehearsal. Throws ApiError. */
export function createRehearsal(dependencies: Pick<Dependencies, Needs>) {
  const { store, compiler, quotas } = dependencies;
  const { entries, rawEntries, refused, jobs } = store;

  /** Which entries there are, in ranges for several workers. */
  async function splitEntries(application: string, { of, from, to }: RehearsalOptions) {
    const cut = of === 'refused' ? undefined : await rawEntries.cut(application);
    if (!cut) return { cut, ranges: [] };
    const { until } = cut;
    const total = await entries.count(application, { from, to }, until);
    const ranges = await rawEntries.split(application, { from, to, until }, total);
    return { cut, ranges: ranges.map((range) => ({ lines: range.entries, range })) };
  }

  /** Few are kept of an application: one worker checks them. */
  async function rangesOfRefused(application: string, { of, from, to }: RehearsalOptions) {
    return of === 'entries' ? [] : [{ lines: await refused.count(application, { from, to }) }];
  }

  return async (
    { id: application, domain, owner: { id: owner } }: ApplicationRecord,
    options: RehearsalOptions,
  ): Promise<RehearsalJob> => {
    await quotas.check('jobs', owner);
    const compiled = await compiler.compile(options.rawSchema, { client: owner, isNew: true });
    if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
    const { cut, ranges } = await splitEntries(application, options);
    const all = [...ranges, ...(await rangesOfRefused(application, options))];
    const job = await jobs.rehearsals.create({ application, owner, domain, options, cut }, all);
    if (!job) throw unavailable('the rehearsal could not be made in time', 5);
    return enqueueOrCancel(dependencies, job, 'rehearsals cannot be made');
  };
}
