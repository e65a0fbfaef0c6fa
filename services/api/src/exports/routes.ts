import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { type ExportQuery, ExportRequest, Job, ExportQuery as Query } from '@sluice/shared/contracts/jobs.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { ExportOptions } from '@sluice/store/jobs/job-records.ts';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import { toPeriod } from '../http/period.ts';
import { ByDomain, failures, overLimit, refusals, security } from '../http/route-parts.ts';
import { abortOnClose } from '../jobs/abort-on-close.ts';
import { createFind } from '../jobs/find-job.ts';
import { streamBytes } from '../jobs/send-file.ts';
import { toJob } from '../jobs/to-job.ts';
import type { Capacities } from '../limits/capacity.ts';
import type { Quotas } from '../limits/quota.ts';
import { createExport } from './create-export.ts';
import { createStreamExport } from './stream-export.ts';

interface Dependencies {
  store: Store;
  queue: JobQueue;
  quotas: Pick<Quotas, 'check'>;
  capacity: Pick<Capacities, 'downloads'>;
  audit: Audit;
  config: Pick<ApiConfig, 'exportWaitMs'>;
  log: Logger;
}

const tags = ['Exports'];
const text = { schema: Type.String() };

/** `arrays` and `formulas` are choices of CSV; elsewhere they would do nothing. */
function toOptions(asked: Omit<ExportQuery, 'columns'>, columns: string[] | undefined): ExportOptions {
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
  return { ...toPeriod(asked), format, formulas, arrays, columns };
}

/** Exports: streamed while they are written, or made as jobs to be fetched later. */
export const exportRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { store, queue, quotas, capacity, audit, config, log },
) => {
  app.addHook('onRequest', app.authenticate);
  const makeExport = createExport({ store, queue, quotas, log });
  const streamExport = createStreamExport({ store, queue, waitMs: config.exportWaitMs, audit });
  const find = createFind(store);

  app.get(
    '/applications/:domain/export',
    {
      exposeHeadRoute: false,
      schema: {
        summary: 'Export all entries, streamed while the file is written',
        description:
          'Oldest first. `from` is included, `to` is not. A client that goes away cancels the export; a transfer that ends without its last chunk is not whole.',
        tags,
        security,
        params: ByDomain,
        querystring: Query,
        response: {
          200: {
            description: 'The file.',
            content: {
              'text/csv': text,
              'application/x-ndjson': text,
              'application/vnd.apache.parquet': text,
              'application/zip': text,
            },
          },
          ...refusals(409),
          ...overLimit,
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const { params, query, owner } = request;
      const options = toOptions(query, query.columns?.split(','));
      const application = await find.application(params.domain, owner.id);
      capacity.downloads.lease(reply, owner.id).take(streamBytes);
      const signal = abortOnClose(reply);
      return streamExport(request, reply, await makeExport(application, options, true), signal);
    },
  );

  app.post(
    '/applications/:domain/exports',
    {
      schema: {
        summary: 'Create an export job',
        tags,
        security,
        params: ByDomain,
        body: ExportRequest,
        response: { 202: Success(Job, 'Taken.'), ...overLimit, ...failures },
      },
    },
    async (request, reply) => {
      const { params, body, owner } = request;
      const options = toOptions(body, body.columns);
      const application = await find.application(params.domain, owner.id);
      const job = await makeExport(application, options, false);
      await audit.note(request, { action: 'export.made', application: job.domain, job: job.id });
      return success(reply, toJob(job), 202);
    },
  );
};
