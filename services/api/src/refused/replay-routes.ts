import { createRecordFields } from '@sluice/intake/intake.ts';
import { amendRefused } from '@sluice/intake/refused/amend.ts';
import { AmendmentProblem, type Amendments, readAmendments } from '@sluice/intake/refused/amendments.ts';
import { createUploadValidator } from '@sluice/intake/upload-validator.ts';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { Static } from 'typebox';
import type { CachedApplication } from '../applications/cache.ts';
import { findApplication } from '../applications/steps.ts';
import type { Dependencies, Routes } from '../dependencies.ts';
import { Success, sendJson } from '../http/answers.ts';
import { ByDomain, operation, ownerRoutes } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { enqueueOrCancel, sendMade } from '../jobs/steps.ts';
import { ReplayPairs, ReplayQuery, ReplayRequest } from './contract.ts';

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

const mostPairs = 10;

/** Shows what a replay would do with the first uploads. Answers are JSON text, as payloads keep their digits. */
function createTryReplay({
  store: { fields, replays },
  cache,
  capacity,
  log,
}: Pick<Dependencies, 'store' | 'cache' | 'capacity' | 'log'>) {
  const validator = createUploadValidator(createRecordFields(fields), log, {
    capacity: capacity.largeUploads,
  });

  async function pairOf(
    upload: RefusedRecord,
    application: CachedApplication,
    amendments: Amendments,
  ): Promise<string> {
    const { payload, truncated } = upload;
    const before = truncated ? JSON.stringify(payload) : payload;
    const failed = (message: string) => ({ after: before, ok: false, error: { message } });
    async function replayed() {
      const amended = amendRefused(upload, amendments);
      if (!amended.ok) return failed(amended.message);
      const validated = await validator.validate(application, Buffer.from(amended.json));
      if (validated.ok) return { after: amended.json, ok: true };
      const { name, message, details } = await validated.explain();
      return { after: amended.json, ok: false, error: { name, message, details } };
    }
    const { after, ...rest } = await replayed();
    return `${JSON.stringify(rest).slice(0, -1)},"before":${before},"after":${after}}`;
  }

  return {
    async pairs(domain: string, options: ReplayOptions, amendments: Amendments): Promise<string> {
      const application = await cache.get(domain);
      if (!application) throw applicationNotFound(domain);
      const uploads = await replays.next({ application: application.id, options }, mostPairs);
      const pairs: string[] = [];
      for (const upload of uploads) pairs.push(await pairOf(upload, application, amendments));
      return `{"pairs":[${pairs.join(',')}]}`;
    },

    close: validator.close,
  };
}
