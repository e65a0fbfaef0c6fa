import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { findApplication } from '../applications/find.ts';
import { RehearsalRequest } from '../applications/schema-contract.ts';
import type { Dependencies } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { success } from '../http/envelope.ts';
import { toPeriod } from '../http/formats.ts';
import { ByDomain, overLimit, ownerRoutes, ownFailures } from '../http/route-parts.ts';
import { Job, jobExamples } from '../jobs/contract.ts';
import { toJob } from '../jobs/to-job.ts';
import { createRehearsal } from './create-rehearsal.ts';

type Needs = 'store' | 'compiler' | 'queues' | 'quotas' | 'audit' | 'log';

/** Rehearsals: what is stored, validated with a proposed schema. Everything else of them is in jobs/routes.ts. */
export const rehearsalRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  dependencies,
) => {
  const { store, audit } = dependencies;
  ownerRoutes(app, 'Schemas');
  const makeRehearsal = createRehearsal(dependencies);

  app.post(
    '/applications/:domain/rehearsals',
    {
      schema: {
        operationId: 'createRehearsal',
        summary: 'Rehearse a schema',
        description:
          'Validates what is stored with a schema that you propose, and changes nothing. `result` has how many conform, and what does not by reason. ' +
          'The file (`…/rehearsals/{id}/file`) has each entry that does not conform. `from` is included, `to` is not.',
        params: ByDomain,
        body: RehearsalRequest,
        response: {
          202: Success(Job, 'The job is waiting.', jobExamples.waiting('rehearsal')),
          ...ownFailures('InvalidSchemaError'),
          ...overLimit,
        },
      },
      config: { textOf: 'schema' },
    },
    async (request, reply) => {
      const { schema: rawSchema, of = 'entries', ...period } = request.body;
      const application = await findApplication(store.applications, request);
      const job = await makeRehearsal(application, { rawSchema, of, ...toPeriod(period) });
      await audit.note(request, { action: 'rehearsal.made', application: job.domain, job: job.id });
      return success(reply, toJob(job), 202);
    },
  );
};
