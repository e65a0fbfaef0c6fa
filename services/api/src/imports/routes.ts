import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { type ImportFormat, ImportQuery, Job } from '@sluice/shared/contracts/jobs.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { findApplication } from '../applications/find.ts';
import type { Dependencies } from '../dependencies.ts';
import { encodingOf } from '../http/decode.ts';
import { success } from '../http/envelope.ts';
import { refuseCharsets } from '../http/json-body.ts';
import { ByDomain, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { onlyQueries } from '../http/validation.ts';
import { toJob } from '../jobs/to-job.ts';
import { createImport } from './create-import.ts';

const formats: Record<string, ImportFormat> = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'json',
  'text/csv': 'csv',
};
const types = Object.keys(formats);
const Text = Type.String({ minLength: 1 });

const formatOf = ({ headers }: FastifyRequest) => {
  const type = (headers['content-type'] ?? '').split(';')[0] as string;
  return formats[type.trim().toLowerCase()] as ImportFormat;
};

/** On uploads it makes a retry safe: to ignore it here would let a client store a file twice that trusts in it. */
function refuseIdempotencyKey(headers: IncomingHttpHeaders): void {
  if (headers['idempotency-key'] === undefined) return;
  const message = 'is not taken here: see in the list of imports whether one was taken; nothing was stored';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'unknown', message }],
  });
}

type Needs = 'store' | 'queues' | 'quotas' | 'capacity' | 'audit' | 'config' | 'log';

/** Imports: files of any size, taken while they come and worked on afterwards. Everything else of them is in jobs/routes.ts. */
export const importRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  dependencies,
) => {
  const { store, audit } = dependencies;
  ownerRoutes(app, 'Imports');
  const makeImport = createImport(dependencies);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, (request: FastifyRequest, stream: IncomingMessage, done) => {
    refuseCharsets(request);
    done(null, stream);
  });

  app.post(
    '/applications/:domain/imports',
    {
      validatorCompiler: onlyQueries(app),
      config: { takes: 'application/x-ndjson, application/json or text/csv' },
      schema: {
        summary: 'Import a file',
        description:
          'NDJSON, a JSON array, or CSV with a header, of any size; gzip or zstd by `Content-Encoding`, or found by its first bytes. Answered once the whole file has come; the lines are then validated and stored by workers. A line that is refused is in the report (`…/imports/{id}/file`) with its number: of NDJSON the line, of an array the element, of CSV the record with the header as 1 (a cell may span several lines), all from 1. Columns of CSV are named as in exports. An `Idempotency-Key` is refused: whether an import was taken is told by the list of imports.',
        params: ByDomain,
        querystring: ImportQuery,
        body: {
          content: {
            'application/x-ndjson': { schema: Text },
            'application/json': { schema: Type.Array(Type.Unknown()) },
            'text/csv': { schema: Text },
          },
        },
        response: { 202: Success(Job, 'The file has come, and is worked on.'), ...overLimit },
      },
    },
    async (request, reply) => {
      const { query, body, headers } = request;
      refuseIdempotencyKey(headers);
      if (!body) throw new ApiError('MalformedBodyError', 'the body is empty; nothing was stored');
      const application = await findApplication(store.applications, request);
      const options = {
        format: formatOf(request),
        formulas: query.formulas ?? 'escape',
        encoding: encodingOf(headers['content-encoding']),
      };
      const job = await makeImport(application, options, body as unknown as IncomingMessage);
      await audit.note(request, { action: 'import.made', application: job.domain, job: job.id });
      return success(reply, toJob(job), 202);
    },
  );
};
