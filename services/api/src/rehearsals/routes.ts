import type { RehearsalOptions } from '@sluice/jobs/record/job-records.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, ownFailures } from '../http/route-parts.ts';
import { JsonSchema, Strict, Timestamp } from '../http/schemas.ts';
import { toPeriod } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { queueAndSend } from '../jobs/steps.ts';

const RehearsalRequest = Strict('RehearsalRequest', {
  schema: JsonSchema,
  of: Type.Optional(
    Type.Enum(['entries', 'refused', 'both'], {
      title: 'RehearsalOf',
      default: 'entries',
      description: 'What is validated: entries, uploads that were refused, or both.',
    }),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});

/** Makes rehearsals, which validate entries with a proposed schema. Their other routes are in jobs/routes.ts. */
export const rehearsalRoutes: Routes = async (app, dependencies) => {
  const { store, compiler, quotas } = dependencies;
  const { applications, entries, rawEntries, refused, jobs } = store;
  bearerRoutes(app, 'Schemas', 'editor');

  /** The entries until now, in ranges for several workers. */
  async function splitEntries(application: string, { of, from, to }: RehearsalOptions) {
    if (of === 'refused') return [];
    const { until } = await rawEntries.cut(application);
    if (!until) return [];
    const total = await entries.count(application, { from, to }, until);
    const ranges = await rawEntries.split(application, { from, to, until }, total);
    return ranges.map((range) => ({ lines: range.entries, range }));
  }

  /** Few refused uploads are kept, so one worker checks all. */
  async function rangesOfRefused(application: string, { of, from, to }: RehearsalOptions) {
    return of === 'entries'
      ? []
      : [{ lines: await refused.count(application, { from, to, reason: 'schema' }) }];
  }

  app.post(
    '/applications/:domain/rehearsals',
    operation('createRehearsal', 'Rehearse a schema', {
      description:
        'Validates what is stored with a schema that you propose, and changes nothing. `result` has how many conform, and what does not by reason. ' +
        'The file (`…/rehearsals/{id}/file`) has each entry that does not conform. `from` is included, `to` is not.',
      params: ByDomain,
      body: RehearsalRequest,
      response: {
        ...madeJob('rehearsal'),
        ...ownFailures('InvalidSchemaError'),
      },
      config: { textOf: 'schema' },
    }),
    async (request, reply) => {
      const { schema: rawSchema, of = 'entries', ...period } = request.body;
      const { id, domain, owner } = await findApplication(applications, request);
      const options = { rawSchema, of, ...toPeriod(period) };
      await quotas.check('jobs', owner.id);
      const compiled = await compiler.compile(rawSchema, { client: owner.id, isNew: true });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      const ranges = [...(await splitEntries(id, options)), ...(await rangesOfRefused(id, options))];
      const fields = { application: id, owner: owner.id, domain, options };
      const job = await jobs.rehearsals.create(fields, ranges);
      if (!job) throw unavailable('the rehearsal could not be made in time', 5);
      return queueAndSend(dependencies, request, reply, job, 'rehearsals cannot be made');
    },
  );
};
