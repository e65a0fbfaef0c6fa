import { AmendmentProblem, type Amendments, readAmendments } from '@sluice/intake/refused/amendments.ts';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import { refusedReasons } from '@sluice/store/refused/refused-records.ts';
import type { Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, sendJson } from '../http/answers.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { findApplication } from '../http/find-application.ts';
import { invalidAt } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, operation, ownFailures } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { queueAndSend } from '../jobs/steps.ts';
import type { Proposed } from '../known/proposed-intake.ts';
import { ReplayPairs, ReplayQuery, ReplayRequest } from './contract.ts';
import { createTryReplay, mostTried } from './try-replay.ts';

/** Uploads that are refused later are not replayed. Throws ApiError for what no schema refused. */
function toOptions({ reason, ...asked }: Omit<Static<typeof ReplayRequest>, 'schema'>): ReplayOptions {
  const isOther = (name: string | undefined) =>
    refusedReasons.some((each) => each === name && each !== 'schema');
  for (const [name, value] of Object.entries({ reason, keyword: asked.keyword }))
    if (isOther(value))
      throw invalidAt(`/${name}`, 'enum', 'only uploads that a schema refused can be replayed');
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
    throw invalidAt(error.path, 'operation', error.message);
  }
}

/** Replays of refused uploads. Their other routes are in jobs/routes.ts. */
export const replayRoutes: Routes = async (app, dependencies) => {
  const { store, compiler, quotas } = dependencies;
  bearerRoutes(app, 'Refused uploads', 'editor');
  const tryReplay = createTryReplay(dependencies);
  app.addHook('onClose', tryReplay.close);

  /** Throws ApiError. */
  async function compile(rawSchema: string, client: string): Promise<Proposed> {
    const compiled = await compiler.compile(rawSchema, { client, isNew: true });
    if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
    return { rawSchema, schema: compiled.schema };
  }

  app.post(
    '/applications/:domain/replays',
    operation('createReplay', 'Replay refused uploads', {
      description:
        'Creates a job that validates refused uploads again, with the schema in force. Those that conform become entries, each once; the others stay, with their new reasons. Only those with the reason `schema` are replayed. ' +
        'Without `ids`, `path`, `keyword`, `property`, `from` and `to`, all are replayed. `patch`, then `coerce`, change each payload first. ' +
        `With \`dry_run=true\` nothing is stored: the answer counts which of the oldest ${mostTried.toLocaleString('en')} conform, and shows ten, before and after. \`schema\` is then the schema that validates them. Keys and unique values are not looked up.`,
      params: ByDomain,
      querystring: ReplayQuery,
      body: ReplayRequest,
      response: {
        200: Success(ReplayPairs, 'With `dry_run=true`: what the replay would do.'),
        ...madeJob('replay'),
        ...ownFailures('InvalidSchemaError'),
      },
      config: { textOf: 'schema', listsAsText: ['patch', 'coerce'] },
    }),
    async (request, reply) => {
      const { query, owner: user } = request;
      const { schema, ...body } = request.body;
      if (schema !== undefined && !query.dry_run)
        throw invalidAt('/schema', 'dry_run', 'only a dry run takes a schema: publish it first');
      const options = toOptions(body);
      const amendments = toAmendments(options);
      const application = await findApplication(store.applications, request);
      const { id, domain } = application;
      if (query.dry_run) {
        const proposed = schema === undefined ? undefined : await compile(schema, user.id);
        const tried = { options, amendments, proposed };
        return sendJson(reply, await tryReplay.outcome(application, user.id, tried, abortOnClose(reply)));
      }
      const owner = application.owner.id;
      await quotas.check('jobs', owner);
      await quotas.checkEntries(owner);
      const total = await store.replays.count(id, options);
      const fields = { application: id, owner, domain, options, total };
      const job = await store.jobs.create<'replay'>({ kind: 'replay', ...fields });
      return queueAndSend(dependencies, request, reply, job, 'uploads cannot be replayed');
    },
  );
};
