import { toJob } from '@sluice/jobs/record/to-job.ts';
import { toPlace } from '@sluice/jobs/record/to-place.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { ArchiveRecord, ArchiveTarget } from '@sluice/store/archives/archive-records.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication, type OfApplication } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';
import {
  ByDomain,
  bearerRoutes,
  byId,
  operation,
  overLimit,
  ownFailures,
  takeSmallBodies,
} from '../http/route-parts.ts';
import { toTarget } from '../http/target.ts';
import { JobAnswer, jobExamples } from '../jobs/contract.ts';
import { madeJob } from '../jobs/describe.ts';
import { queueAndSend } from '../jobs/steps.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import { Archive, ArchiveUpdate, NewArchive, toArchiveAnswer } from './contract.ts';
import { lagOf } from './lag.ts';
import { isSamePlace, withNewKey } from './target.ts';

const ById = byId('archive');
const limit = quotas.archives.limit;
const listedRuns = 100;
/** What its owner sets, without the secret of a bucket. */
const settingsOf = ({ name, to, format, every, from, meta, state }: ArchiveRecord) => ({
  name,
  to: toPlace(to),
  format,
  every,
  from,
  meta,
  state,
});

const forEditors = { config: { role: 'editor' as const } };

/** Archives of an application. Export workers make their runs. */
export const archiveRoutes: Routes = async (app, dependencies) => {
  const { store, audit, config, quotas: used } = dependencies;
  const { applications, archives, jobs, rawEntries, removals } = store;
  bearerRoutes(app, 'Archives', 'owner');
  takeSmallBodies(app);
  const path = '/applications/:domain/archives';

  async function find(request: OfApplication & { params: { id: string } }) {
    const application = await findApplication(applications, request);
    const archive = await archives.get(application.id, request.params.id);
    // One for questions is not the owner's.
    if (!archive || archive.asked) throw notFound('archive', request.params.id);
    return { application, archive };
  }

  const answer = async (archive: ArchiveRecord) => toArchiveAnswer(archive, await lagOf(rawEntries, archive));

  /** Throws ApiError where another one has the place. */
  function refuseTaken(to: ArchiveTarget, others: ArchiveRecord[]): void {
    const other = others.find((one) => isSamePlace(one.to, to));
    if (other)
      throw new ApiError(
        'ResourceConflictError',
        `archive ${other.id} has this place already, and their files would mix: send another bucket or prefix`,
      );
  }

  app.get(
    path,
    operation('listArchives', 'List archives', {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(Archive)) },
      ...forEditors,
    }),
    async (request, reply) => {
      const { id } = await findApplication(applications, request);
      return success(reply, await Promise.all((await archives.list(id)).map(answer)));
    },
  );

  app.post(
    path,
    operation('createArchive', 'Create an archive', {
      description: `Entries go into files of a bucket or folder, each once. The first run begins within seconds. An application has at most ${limit}, each in a place of its own.`,
      params: ByDomain,
      body: NewArchive,
      response: { 200: Success(Archive), ...ownFailures('ResourceConflictError'), ...overLimit },
    }),
    async (request, reply) => {
      const { body, owner } = request;
      const application = await findApplication(applications, request);
      const to = toTarget(body.to, config);
      const covers = { announced: 0 };
      const fields = { ...body, to, covers, createdBy: owner.username };
      const archive = await archives.create(application.id, fields, limit, async (session, others) => {
        refuseTaken(to, others);
        if (body.from === 'beginning') return covers;
        const { until, announced } = await rawEntries.cut(application.id, session);
        return { announced, ...(until !== undefined && { until }) };
      });
      if (!archive) throw quotaReached('archives', limit);
      const details = { archive: archive.id };
      const event = { application: application.domain, details, after: settingsOf(archive) };
      await audit.note(request, { action: 'archive.created', ...event });
      return success(reply, await answer(archive));
    },
  );

  app.get(
    `${path}/:id`,
    operation('getArchive', 'Get an archive', {
      params: ById,
      response: { 200: Success(Archive) },
      ...forEditors,
    }),
    async (request, reply) => success(reply, await answer((await find(request)).archive)),
  );

  app.patch(
    `${path}/:id`,
    operation('updateArchive', 'Update an archive', {
      description:
        'Paused, no run begins any more; one that is under way ends. All but a new name makes the next run due at once.',
      params: ById,
      body: ArchiveUpdate,
      response: { 200: Success(Archive) },
    }),
    async (request, reply) => {
      const { body } = request;
      const { application, archive } = await find(request);
      const { to: key, ...change } = body;
      const to = key && withNewKey(archive.to, key, config);
      const updated = await archives.update(application.id, archive.id, { ...change, ...(to && { to }) });
      if (!updated) throw notFound('archive', archive.id);
      const details = { archive: archive.id, changed: Object.keys(body) };
      const settings = { before: settingsOf(archive), after: settingsOf(updated) };
      const event = { application: application.domain, details, ...settings };
      await audit.note(request, { action: 'archive.updated', ...event });
      return success(reply, await answer(updated));
    },
  );

  app.delete(
    `${path}/:id`,
    operation('deleteArchive', 'Delete an archive', {
      description:
        'Its files stay, and no run begins any more. 409 while it is the `archive` of the application, into which old entries go.',
      params: ById,
      response: {
        200: SuccessMessage('Deleted.', 'archive 66f1c2a4e8b5d70912345678 was deleted'),
        ...ownFailures('ResourceConflictError'),
      },
    }),
    async (request, reply) => {
      const { application, archive } = await find(request);
      const isUsed = async () =>
        (await applications.byId(application.id))?.retentionArchive === archive.id &&
        (await archives.get(application.id, archive.id)) !== undefined;
      if (!(await archives.remove(application.id, archive.id)) && (await isUsed()))
        throw new ApiError(
          'ResourceConflictError',
          `the retention of the application uses archive ${archive.id}: set archive to null there first, which is possible until entries are in the archive alone`,
        );
      // An archive that is made meanwhile has no entry that was deleted before this cut.
      const { announced } = await rawEntries.cut(application.id);
      if ((await archives.leastAnnounced(application.id)) === undefined)
        await removals.forget(application.id, announced);
      const details = { archive: archive.id };
      const event = { application: application.domain, details, before: settingsOf(archive) };
      await audit.note(request, { action: 'archive.deleted', ...event });
      return success(reply, { message: `archive ${archive.id} was deleted` });
    },
  );

  app.post(
    `${path}/:id/run`,
    operation('runArchive', 'Run an archive now', {
      description:
        'Its next run begins within seconds, or as soon as the one under way has ended. 409 while it is paused.',
      params: ById,
      response: { 200: Success(Archive), ...ownFailures('ResourceConflictError') },
    }),
    async (request, reply) => {
      const { application, archive } = await find(request);
      if (archive.state === 'paused')
        throw new ApiError(
          'ResourceConflictError',
          `archive ${archive.id} is paused: resume it first, by the state active`,
        );
      await archives.hurry(application.id, archive.id);
      const details = { archive: archive.id };
      await audit.note(request, { action: 'archive.made', application: application.domain, details });
      return success(reply, await answer((await find(request)).archive));
    },
  );

  app.post(
    `${path}/:id/verify`,
    operation('verifyArchive', 'Verify an archive', {
      description:
        'Reads all files of the finished runs, compares them with their manifests, and their entries with the stored ones in number. A verification that is under way is answered instead of another one. A failed one names what is missing, cut, changed or there twice.',
      params: ById,
      response: madeJob('verification'),
    }),
    async (request, reply) => {
      const { application, archive } = await find(request);
      const { id, domain, owner } = application;
      const underWay = await jobs.verifications.underWay(id, archive.id);
      if (underWay) return success(reply, toJob(underWay), 202);
      await used.check('jobs', owner.id);
      const options = { archive: archive.id };
      const job = await jobs.create<'verification'>({
        kind: 'verification',
        application: id,
        owner: owner.id,
        domain,
        options,
        total: archive.entries,
      });
      return queueAndSend(dependencies, request, reply, job, 'archives cannot be verified');
    },
  );

  app.get(
    `${path}/:id/runs`,
    operation('listArchiveRuns', 'List runs of an archive', {
      description: `The last ${listedRuns}, newest first.`,
      params: ById,
      response: { 200: Success(Type.Array(JobAnswer), 'Done.', [jobExamples.completed('archive')]) },
      ...forEditors,
    }),
    async (request, reply) => {
      const { application, archive } = await find(request);
      const runs = await jobs.archives.runs(application.id, archive.id, listedRuns);
      return success(reply, runs.map(toJob));
    },
  );
};
