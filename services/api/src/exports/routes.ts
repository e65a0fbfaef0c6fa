import type { ExportJob, ExportOptions } from '@sluice/jobs/record/export-record.ts';
import { parseSchema, type Schema } from '@sluice/schemas/schema.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { ArchiveTarget } from '@sluice/store/archives/archive-records.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import { type Column, columnsOf, type Meta, topKeys, topNames, widthOf } from '@sluice/tables/columns.ts';
import type { FastifyRequest } from 'fastify';
import type { Dependencies, Routes } from '../dependencies.ts';
import { toConditions, withKey } from '../http/filter.ts';
import { findApplication, requireRole } from '../http/find-application.ts';
import { toMeta } from '../http/meta.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { type TargetBody, toTarget } from '../http/target.ts';
import { toPeriod } from '../http/validation.ts';
import { exportFile, madeJob } from '../jobs/describe.ts';
import { isHead, streamBytes } from '../jobs/send-file.ts';
import { enqueueOrCancel, queueAndSend } from '../jobs/steps.ts';
import { requireScope } from '../known/personal-tokens.ts';
import { type ExportQuery, ExportRequest, ExportQuery as Query } from './contract.ts';
import { describeStream, streamExport } from './stream-export.ts';

const unmade = 'exports cannot be made';

type Asked = Omit<ExportOptions, 'filter'> & {
  target?: ArchiveTarget | undefined;
  filter: Condition[] | undefined;
  /** Id of an ingest key. */
  key: string | undefined;
};

function toOptions(
  { key, ...asked }: Omit<ExportQuery, 'columns' | 'meta' | 'filter'>,
  { columns, meta, filter }: Pick<Asked, 'columns' | 'meta' | 'filter'>,
): Asked {
  const { format = 'csv', formulas = 'escape', arrays = 'json' } = asked;
  if (format !== 'csv' && arrays !== 'json') {
    throw new ApiError(
      'InvalidRequestError',
      `arrays=${arrays} is for csv; ${format} keeps arrays as they are`,
    );
  }
  if (arrays === 'rows' && columns) {
    throw new ApiError('InvalidRequestError', 'arrays=rows has all columns: leave columns out');
  }
  return { ...toPeriod(asked), format, formulas, arrays, columns, meta, filter, key };
}

/** Exports: streamed while they are written, or made as jobs and downloaded later. */
export const exportRoutes: Routes = async (app, dependencies) => {
  const { store, capacity, config } = dependencies;

  /** Where an export of the owner goes: it stays there, as the files of archives do. Throws ApiError. */
  function toOwnTarget(
    { owner, grant }: Pick<FastifyRequest, 'owner' | 'grant'>,
    application: ApplicationRecord,
    to: TargetBody,
  ): ArchiveTarget {
    requireRole(application, owner, 'owner');
    requireScope(grant, 'write');
    return toTarget(to, config);
  }

  bearerRoutes(app, 'Exports', 'reader');

  app.get(
    '/applications/:domain/export',
    operation('streamExport', 'Export entries as a stream', {
      description:
        'Oldest first. `from` is included, `to` is not. The file is sent while it is written. To close the connection cancels the export. A transfer without its last chunk is incomplete. HEAD makes no export, so it does not know `columns` and the length.',
      params: ByDomain,
      querystring: Query,
      response: {
        200: { description: 'The file.', content: exportFile },
        ...ownFailures('ResourceConflictError'),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { query, owner } = request;
      const options = toOptions(query, {
        columns: query.columns?.split(','),
        meta: query.meta === undefined ? undefined : toMeta<Meta>(query.meta),
        filter: query.filter === undefined ? undefined : toConditions(query.filter),
      });
      const application = await findApplication(store.applications, request);
      if (isHead(request)) return describeStream(request, reply, application, options);
      capacity.answers.lease(reply, owner.id).take(streamBytes);
      const made = await createExport(dependencies, application, options, true);
      const job = await enqueueOrCancel(dependencies, made, unmade);
      return streamExport(dependencies, request, reply, job);
    },
  );

  app.post(
    '/applications/:domain/exports',
    operation('createExport', 'Create an export job', {
      description:
        'A worker writes the file; download it when the job is completed. With a place in `to` the file goes there, as `<prefix>/<domain>/exports/<date>-<job>.<format>`.',
      params: ByDomain,
      body: ExportRequest,
      response: madeJob('export'),
      config: { textOf: 'filter' },
    }),
    async (request, reply) => {
      const { to, before, columns, meta, ...body } = request.body;
      const isPlace = typeof to === 'object';
      if (before !== undefined && to !== undefined && !isPlace)
        throw new ApiError('InvalidRequestError', 'to and before are both a time: send one of them');
      const filter = body.filter === undefined ? undefined : toConditions(body.filter, 'body');
      const options = toOptions(
        { ...body, to: isPlace ? before : (to ?? before) },
        { columns, meta, filter },
      );
      const application = await findApplication(store.applications, request);
      const target = isPlace ? toOwnTarget(request, application, to) : undefined;
      const job = await createExport(dependencies, application, { ...options, target }, false);
      return queueAndSend(dependencies, request, reply, job, unmade);
    },
  );
};

/** Commits an export to MongoDB. Throws ApiError, and then there is no export. */
async function createExport(
  { store, quotas }: Pick<Dependencies, 'store' | 'quotas'>,
  application: ApplicationRecord,
  { filter, key, target, ...options }: Asked,
  transient: boolean,
): Promise<ExportJob> {
  const { applications, schemas, rawEntries, fields, jobs, deletions, senders } = store;
  await quotas.check('jobs', application.owner.id);
  if (!transient) await quotas.check('storedExports', application.owner.id);
  // First the cut: versions, fields and senders are recorded before their entries, so the export knows those of all that was acknowledged.
  const { until: cut, announced, deleted } = await rawEntries.cut(application.id);
  const current = await applications.byId(application.id);
  if (!current) throw applicationNotFound(application.domain);
  const conditions = await withKey(senders, application.id, filter, key);
  const recorded = await fields.of(application.id);
  const version = await schemas.of(current, 1);
  if (!version) throw applicationNotFound(application.domain);
  const first = parseSchema(version.rawSchema);
  const { columns, meta = [] } = options;
  if (columns) refuseColumns(options, first, columnsOf(first, recorded.pointers, { meta }));
  const isWhole = columns !== undefined || options.format === 'ndjson';
  const width = isWhole ? { leafCount: recorded.pointers.length } : widthOf(first, recorded);
  const job = await jobs.exports.create({
    application: application.id,
    owner: application.owner.id,
    domain: application.domain,
    options: {
      ...options,
      columns: columns && withMeta(columns, meta),
      columnCount: columns && columns.length + meta.length,
      filter: conditions && toText(conditions),
    },
    version: current.version,
    cut,
    announced,
    ...width,
    hasLarge: recorded.hasLarge || recorded.closed,
    transient,
    target,
  });
  // Deletions that begin from here on see the job, and mark it themselves.
  if ((await deletions.touch(application.id)).count !== deleted)
    await jobs.exports.setDeletedMeanwhile(job.id);
  return job;
}

/** Puts the columns of `meta` behind `createdAt`, or first. */
function withMeta(columns: string[], meta: Meta[]): string[] {
  const place = columns.indexOf('createdAt') + 1;
  return columns.toSpliced(place, 0, ...meta);
}

/** Throws ApiError if a column is unknown, or named twice. */
function refuseColumns(
  { columns = [], format, arrays, meta = [] }: ExportOptions,
  first: Schema,
  all: Column[],
): void {
  const known = new Set(all.flatMap((column) => (column.meta ? [] : column.name)));
  if (format === 'parquet') for (const name of topNames(topKeys(first), all).values()) known.add(name);
  const hint = (name: string) => {
    if ((meta as string[]).includes(name)) return `: with meta=${name} the field is called /${name}`;
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
