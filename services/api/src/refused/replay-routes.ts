import { AmendmentProblem, type Amendments, readAmendments } from '@sluice/intake/refused/amendments.ts';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Static } from 'typebox';
import { findApplication } from '../applications/steps.ts';
import type { Routes } from '../dependencies.ts';
import { Success, sendJson } from '../http/answers.ts';
import { toPeriod } from '../http/formats.ts';
import { ByDomain, operation, ownerRoutes } from '../http/route-parts.ts';
import { madeJob } from '../jobs/describe.ts';
import { enqueueOrCancel, sendMade } from '../jobs/steps.ts';
import { ReplayPairs, ReplayQuery, ReplayRequest } from './contract.ts';
import { createTryReplay } from './try-replay.ts';

/** Uploads that are refused later are not replayed. */
function toOptions(asked: Static<typeof ReplayRequest>): ReplayOptions {
  const now = new Date();
  const { from, to } = toPeriod(asked);
  return { ...asked, from, to: to && to < now ? to : now };
}

/** Throws ApiError if an operation of `patch` or `coerce` is wrong. */
function toAmendments(options: ReplayOptions): Amendments {
  try {
    return readAmendments(options);
  } catch (error) {
    if (!(error instanceof AmendmentProblem)) throw error;
    const { path, message } = error;
    const details = [{ in: 'body' as const, path, keyword: 'operation', message }];
    throw new ApiError('InvalidRequestError', `body${path} ${message}`, { details });
  }
}

/** Makes replays. Their other routes are in jobs/routes.ts. */
export const replayRoutes: Routes = async (app, dependencies) => {
  const { store, quotas, audit } = dependencies;
  ownerRoutes(app, 'Refused uploads');
  const tryReplay = createTryReplay(dependencies);
  app.addHook('onClose', tryReplay.close);

  app.post(
    '/applications/:domain/replays',
    {
      config: { listsAsText: ['patch', 'coerce'] },
      ...operation('createReplay', 'Replay refused uploads', {
        description:
          'Creates a job that validates refused uploads again, with the schema in force. Those that conform become entries, each once; the others stay, with their new reasons. ' +
          'Without `ids`, `path`, `keyword`, `from` and `to`, all are replayed. `patch`, then `coerce`, change each payload first. With `dry_run=true` nothing is stored: the answer shows the first ten, before and after.',
        params: ByDomain,
        querystring: ReplayQuery,
        body: ReplayRequest,
        response: {
          200: Success(ReplayPairs, 'With `dry_run=true`: what the replay would do with the first ten.'),
          ...madeJob('replay'),
        },
      }),
    },
    async (request, reply) => {
      const { body, query } = request;
      const options = toOptions(body);
      const amendments = toAmendments(options);
      const application = await findApplication(store.applications, request);
      const { id, domain } = application;
      if (query.dry_run) return sendJson(reply, await tryReplay.pairs(domain, options, amendments));
      const owner = application.owner.id;
      await quotas.check('jobs', owner);
      await quotas.checkEntries(owner);
      const total = await store.replays.count({ application: id, options });
      const fields = { application: id, owner, domain, options, total };
      const job = await store.jobs.create<'replay'>({ kind: 'replay', ...fields });
      return sendMade(
        audit,
        request,
        reply,
        await enqueueOrCancel(dependencies, job, 'uploads cannot be replayed'),
      );
    },
  );
};
