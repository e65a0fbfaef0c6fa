import { toJob } from '@sluice/jobs/record/to-job.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Condition, type Scalar, toText } from '@sluice/store/entries/entry-filter.ts';
import { isUniqueValue } from '@sluice/store/entries/once.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { BodyFilter, toConditions } from '../http/filter.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, byId, operation } from '../http/route-parts.ts';
import { Strict } from '../http/schemas.ts';
import { refuseValue, toValues, UniqueValues } from '../http/unique-values.ts';
import { JobAnswer, jobExamples } from '../jobs/contract.ts';
import { madeJob } from '../jobs/describe.ts';
import { findJob, queueAndSend } from '../jobs/steps.ts';

const mostValues = 1_000;

const ErasureRequest = Strict(
  { title: 'ErasureRequest', examples: [{ filter: { email: 'ada@example.com' } }] },
  { filter: Type.Optional(BodyFilter), values: Type.Optional(UniqueValues(mostValues)) },
);

/** What an erasure takes. Throws ApiError. */
function toTarget(
  { filter, values }: Static<typeof ErasureRequest>,
  { domain, unique }: ApplicationRecord,
): Condition[] {
  if ((filter === undefined) === (values === undefined))
    throw new ApiError('InvalidRequestError', 'send either `filter` or `values`');
  if (filter !== undefined) {
    const conditions = toConditions(filter, 'body');
    if (conditions.length > 0) return conditions;
    throw new ApiError('InvalidRequestError', '`filter` has no condition: name one');
  }
  if (!unique)
    throw new ApiError('InvalidRequestError', `${domain} has no \`unique\` member: send \`filter\` instead`);
  const value = toValues(values as string, mostValues);
  if (value.length === 0) refuseValue('/values', 'must have a value');
  for (const [at, one] of value.entries())
    if (!isUniqueValue(one)) refuseValue(`/values/${at}`, 'must be a string, a number or a boolean');
  return [{ path: fromPointer(unique.path), operator: 'in', value: value as Scalar[] }];
}

/** Erasures, whose records are jobs that stay. */
export const erasureRoutes: Routes = async (app, dependencies) => {
  const { store, quotas } = dependencies;
  bearerRoutes(app, 'Entries', 'owner');
  const path = '/applications/:domain/erasures';
  const completed = jobExamples.completed('erasure');

  app.post(
    path,
    operation('createErasure', 'Erase a person', {
      description: `Removes entries for good, with refused uploads, deliveries, and files of jobs that may have copies: those that match \`filter\`, or have one of up to ${mostValues.toLocaleString('en')} \`values\` of the member that is \`unique\`. The job waits for imports that are under way. Its record stays, without the filter and the values.`,
      params: ByDomain,
      body: ErasureRequest,
      response: madeJob('erasure'),
      config: { textOf: 'filter', listsAsText: ['values'] },
    }),
    async (request, reply) => {
      const application = await findApplication(store.applications, request);
      const target = toText(toTarget(request.body, application));
      await quotas.check('jobs', application.owner.id);
      const { id, domain, owner } = application;
      const byValue = request.body.values !== undefined;
      const options = { by: request.owner.username, target, byValue };
      const fields = { application: id, owner: owner.id, domain, options };
      const job = await store.jobs.create<'erasure'>({ kind: 'erasure', ...fields });
      return queueAndSend(dependencies, request, reply, job, 'nothing can be erased');
    },
  );

  app.get(
    path,
    operation('listErasures', 'List erasures', {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(JobAnswer), 'Done.', [completed]) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(store.applications, request);
      return success(reply, (await store.jobs.list(id, 'erasure')).map(toJob));
    },
  );

  app.get(
    `${path}/:id`,
    operation('getErasure', 'Get an erasure', {
      params: byId('erasure job'),
      response: { 200: Success(JobAnswer, 'Done.', completed) },
    }),
    async (request, reply) => success(reply, toJob((await findJob(store, 'erasure', request)).job)),
  );
};
