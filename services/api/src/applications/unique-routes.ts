import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation } from '../http/route-parts.ts';
import { Strict } from '../http/schemas.ts';
import { madeJob } from '../jobs/describe.ts';
import { queueAndSend } from '../jobs/steps.ts';
import { uniquePath } from './contract.ts';
import { checkUnique } from './steps.ts';

const UniqueCheckRequest = Strict('UniqueCheckRequest', { path: uniquePath });
const UniqueCheckQuery = Type.Object(
  {
    dry_run: Type.Literal('true', {
      description: 'Needed: nothing is changed. To store one entry for each value, change the application.',
    }),
  },
  { additionalProperties: false },
);

/** Makes jobs that count what would have been repeated. Their other routes are in jobs/routes.ts. */
export const uniqueRoutes: Routes = async (app, dependencies) => {
  const { store, quotas } = dependencies;
  bearerRoutes(app, 'Applications', 'editor');

  app.post(
    '/applications/:domain/unique',
    operation('createUniqueCheck', 'Count entries that would have been repeated', {
      description:
        'Counts the stored entries whose value of a member an older entry has: with the same payload (`repeated`), or with another (`conflicting`). Changes nothing.',
      params: ByDomain,
      querystring: UniqueCheckQuery,
      body: UniqueCheckRequest,
      response: madeJob('unique'),
    }),
    async (request, reply) => {
      const { path } = request.body;
      const { id, domain, owner, rawSchema } = await findApplication(store.applications, request);
      checkUnique({ path }, rawSchema);
      await quotas.check('jobs', owner.id);
      const { until } = await store.rawEntries.cut(id);
      const fields = { application: id, owner: owner.id, domain, options: { path, until } };
      const job = await store.jobs.create<'unique'>({ kind: 'unique', ...fields });
      return queueAndSend(dependencies, request, reply, job, 'entries cannot be checked');
    },
  );
};
