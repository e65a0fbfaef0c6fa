import { basename } from 'node:path';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { toOutboundUrl } from '../http/outbound-url.ts';
import { ByDomain, bearerRoutes, operation, overLimit, takeSmallBodies } from '../http/route-parts.ts';
import { Strict } from '../http/schemas.ts';
import { JobAnswer, jobExamples } from '../jobs/contract.ts';
import { sendMade } from '../jobs/steps.ts';
import { checkImportQuotas, newImport } from './create-import.ts';
import { refuseIdempotencyKey, SourceQuery, toSourceRequest } from './options.ts';

const UrlImport = Strict('UrlImport', {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'An http or https URL, without a user name. Private addresses need `OUTBOUND_ALLOW`.',
    examples: ['https://example.com/weather.ndjson'],
  }),
});

/** Imports of files that workers download. */
export const urlImportRoutes: Routes = async (app, { store, audit, quotas, config }) => {
  bearerRoutes(app, 'Imports', 'editor');
  takeSmallBodies(app);

  app.post(
    '/applications/:domain/imports/from-url',
    operation('createImportFromUrl', 'Import a file from a URL', {
      description:
        'A worker downloads the file, up to `IMPORT_LIMIT`, and continues after a lost connection. If the file does not arrive whole, the job fails and nothing is stored.',
      params: ByDomain,
      querystring: SourceQuery,
      body: UrlImport,
      response: {
        202: Success(JobAnswer, 'The job is waiting.', {
          ...jobExamples.waiting('import'),
          progress: { done: 0, total: 0 },
          name: 'weather.ndjson',
          arrived: { bytes: 0 },
        }),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      refuseIdempotencyKey(request.headers);
      const application = await findApplication(store.applications, request);
      const url = toOutboundUrl(request.body.url, config.outboundAllow);
      const given = toSourceRequest(request.query, nameIn(url));
      const { importLimit: limit, importQuota: quota, bodyLimit } = config;
      await checkImportQuotas(quotas, application.owner.id);
      const source = { url, bytes: 0, stored: 0, isReady: true as const, names: given.columns, limit, quota };
      const job = await store.jobs.imports.create({ ...newImport(application, given, bodyLimit), source });
      return sendMade(audit, request, reply, job);
    },
  );
};

/** The name of the file, without a query, which may have secrets. */
function nameIn(url: string): string {
  const name = basename(new URL(url).pathname);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
