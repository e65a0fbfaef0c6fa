import type { ExportOptions } from '@sluice/jobs/record/export-record.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import type { Meta } from '@sluice/tables/columns.ts';
import { findApplication } from '../applications/steps.ts';
import type { Routes } from '../dependencies.ts';
import { toConditions } from '../entries/filter.ts';
import { toPeriod } from '../http/formats.ts';
import { ByDomain, operation, overLimit, ownerRoutes, ownFailures } from '../http/route-parts.ts';
import { exportFile, madeJob } from '../jobs/describe.ts';
import { streamBytes } from '../jobs/send-file.ts';
import { sendMade } from '../jobs/steps.ts';
import { type ExportQuery, ExportRequest, ExportQuery as Query } from './contract.ts';
import { createExport } from './create-export.ts';
import { streamExport } from './stream-export.ts';

function toOptions(
  asked: Omit<ExportQuery, 'columns' | 'meta' | 'filter'>,
  { columns, meta, filter }: Pick<ExportOptions, 'columns' | 'meta'> & { filter?: Condition[] | undefined },
): ExportOptions {
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
  return { ...toPeriod(asked), format, formulas, arrays, columns, meta, filter: filter && toText(filter) };
}

/** Exports: streamed while they are written, or made as jobs and downloaded later. */
export const exportRoutes: Routes = async (app, dependencies) => {
  const { store, capacity, audit } = dependencies;
  ownerRoutes(app, 'Exports');

  app.get(
    '/applications/:domain/export',
    {
      exposeHeadRoute: false,
      ...operation('streamExport', 'Export entries as a stream', {
        description:
          'Oldest first. `from` is included, `to` is not. The file is sent while it is written. To close the connection cancels the export. A transfer without its last chunk is incomplete.',
        params: ByDomain,
        querystring: Query,
        response: {
          200: { description: 'The file.', content: exportFile },
          ...ownFailures('ResourceConflictError'),
          ...overLimit,
        },
      }),
    },
    async (request, reply) => {
      const { query, owner } = request;
      const options = toOptions(query, {
        columns: query.columns?.split(','),
        meta: query.meta?.split(',') as Meta[] | undefined,
        filter: query.filter === undefined ? undefined : toConditions(query.filter),
      });
      const application = await findApplication(store.applications, request);
      capacity.answers.lease(reply, owner.id).take(streamBytes);
      const job = await createExport(dependencies, application, options, true);
      return streamExport(dependencies, request, reply, job);
    },
  );

  app.post(
    '/applications/:domain/exports',
    {
      ...operation('createExport', 'Create an export job', {
        description: 'A worker writes the file; download it when the job is completed.',
        params: ByDomain,
        body: ExportRequest,
        response: madeJob('export'),
      }),
      config: { textOf: 'filter' },
    },
    async (request, reply) => {
      const { body } = request;
      const { columns, meta } = body;
      const filter = body.filter === undefined ? undefined : toConditions(body.filter, 'body');
      const options = toOptions(body, { columns, meta, filter });
      const application = await findApplication(store.applications, request);
      return sendMade(audit, request, reply, await createExport(dependencies, application, options, false));
    },
  );
};
