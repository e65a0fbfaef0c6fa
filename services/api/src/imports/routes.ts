import type { IncomingMessage } from 'node:http';
import type { ImportFormat } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { findApplication } from '../http/find-application.ts';
import { encodingOf } from '../http/json-body.ts';
import { takeParameters } from '../http/media-type.ts';
import { ByDomain, bearerRoutes, Ndjson, operation } from '../http/route-parts.ts';
import { onlyQueries } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { sendMade } from '../jobs/steps.ts';
import { createImport } from './create-import.ts';
import { ImportQuery, refuseIdempotencyKey, toImportRequest } from './options.ts';

const formats: Record<string, ImportFormat> = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json': 'json',
  'text/csv': 'csv',
};
const types = Object.keys(formats);
const Csv = Type.String({ minLength: 1, format: 'binary', examples: ['celsius\n21.5\n22\n'] });

const parametersOf = (request: FastifyRequest) => (formatOf(request) === 'csv' ? ['header'] : []);

const formatOf = ({ headers }: FastifyRequest) => {
  const type = (headers['content-type'] ?? '').split(';')[0] as string;
  return formats[type.trim().toLowerCase()] as ImportFormat;
};

/** Receives files of many gigabytes, which workers import afterwards. The other routes are in jobs/routes.ts. */
export const importRoutes: Routes = async (app, dependencies) => {
  const { store, audit } = dependencies;
  bearerRoutes(app, 'Imports', 'editor');
  const makeImport = createImport(dependencies);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(types, (request: FastifyRequest, stream: IncomingMessage, done) => {
    takeParameters(request, parametersOf(request));
    done(null, stream);
  });

  app.post(
    '/applications/:domain/imports',
    {
      validatorCompiler: onlyQueries(app),
      config: { takes: 'application/x-ndjson, application/json or text/csv' },
      ...operation('createImport', 'Import a file', {
        description:
          'NDJSON, a JSON array, or CSV, up to `IMPORT_LIMIT` (10 GiB by default). gzip and zstd are recognised by `Content-Encoding` or by their first bytes. The answer comes once the whole file has arrived; then workers validate and store its lines. Refused lines are in the report (`…/imports/{id}/file`). Their numbers start at 1 and count lines of NDJSON, elements of an array, or records of CSV including the header. Columns of CSV have the names that exports use; commas, semicolons, tabs or pipes separate them. With `text/csv; header=absent`, `columns` has their names. An `Idempotency-Key` is refused: before a retry, see in the list of imports whether the file was taken. A large file can also come in pieces, or from a URL.',
        params: ByDomain,
        querystring: ImportQuery,
        body: {
          content: {
            'application/x-ndjson': { schema: Ndjson },
            'application/json': {
              schema: Type.Array(Type.Unknown(), { examples: [[{ celsius: 21.5 }, { celsius: 22 }]] }),
            },
            'text/csv': { schema: Csv },
          },
        },
        response: madeJob('import'),
      }),
    },
    async (request, reply) => {
      const { query, body, headers } = request;
      refuseIdempotencyKey(headers);
      if (!body) throw new ApiError('MalformedBodyError', 'the body is empty; nothing was stored');
      const application = await findApplication(store.applications, request);
      const header = takeParameters(request, parametersOf(request)).get('header')?.toLowerCase();
      const encoding = encodingOf(headers['content-encoding']);
      const options = { ...toImportRequest(query, { format: formatOf(request), header }), encoding };
      const job = await makeImport(application, options, body as unknown as IncomingMessage);
      return sendMade(audit, request, reply, job);
    },
  );
};
