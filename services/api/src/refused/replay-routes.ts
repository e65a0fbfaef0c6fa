import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import type { Static } from 'typebox';
import { findApplication } from '../applications/find.ts';
import type { Dependencies } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { success } from '../http/envelope.ts';
import { toPeriod } from '../http/formats.ts';
import { ByDomain, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { sendJson, success200 } from '../http/send-json.ts';
import { Job, jobExamples } from '../jobs/contract.ts';
import { toJob } from '../jobs/to-job.ts';
import { ReplayPairs, ReplayQuery, ReplayRequest } from './contract.ts';
import { createReplay, toAmendments } from './create-replay.ts';
import { createTryReplay } from './try-replay.ts';

/** What is refused later is left alone. */
function toOptions({ from: _, to: __, ...asked }: Static<typeof ReplayRequest>, period: ReplayOptions) {
  const now = new Date();
  const { from, to } = period;
  return { ...asked, from, to: to && to < now ? to : now };
}

type Needs = 'store' | 'cache' | 'queues' | 'quotas' | 'capacity' | 'audit' | 'log';

/** Replays: refused uploads that are validated again. Everything else of these jobs is in jobs/routes.ts. */
export const replayRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  dependencies,
) => {
  const { store, audit } = dependencies;
  ownerRoutes(app, 'Refused uploads');
  const makeReplay = createReplay(dependencies);
  const tryReplay = createTryReplay(dependencies);
  app.addHook('onClose', tryReplay.close);

  app.post(
    '/applications/:domain/replays',
    {
      config: { listsAsText: ['patch', 'coerce'] },
      schema: {
        operationId: 'createReplay',
        summary: 'Replay refused uploads',
        description:
          'Creates a job that validates refused uploads again, with the schema in force. Those that conform become entries, each once; the others stay, with their new reasons. ' +
          'Without `ids`, `path`, `keyword`, `from` and `to`, all are replayed. `patch`, then `coerce`, change each payload first. With `dry_run=true` nothing is stored: the answer shows the first ten, before and after.',
        params: ByDomain,
        querystring: ReplayQuery,
        body: ReplayRequest,
        response: {
          200: Success(ReplayPairs, 'With `dry_run=true`: what the replay would do with the first ten.'),
          202: Success(Job, 'The job is waiting.', jobExamples.waiting('replay')),
          ...overLimit,
        },
      },
    },
    async (request, reply) => {
      const { body, query } = request;
      const options = toOptions(body, toPeriod(body));
      const amendments = toAmendments(options);
      const application = await findApplication(store.applications, request);
      const { domain } = application;
      if (query.dry_run) {
        const pairs = await tryReplay.pairs(domain, options, amendments);
        return sendJson(reply, success200(pairs));
      }
      const job = await makeReplay(application, options);
      await audit.note(request, { action: 'replay.made', application: domain, job: job.id });
      return success(reply, toJob(job), 202);
    },
  );
};
