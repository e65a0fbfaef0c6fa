import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { Dependencies } from '../dependencies.ts';
import { Message, Success } from '../http/answers.ts';
import { success } from '../http/envelope.ts';
import { ByDomain, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { createActivityOf } from './activity.ts';
import { createAnnounce } from './announce.ts';
import { Application } from './contract.ts';
import { findApplication } from './find.ts';
import { createSendOne } from './send-one.ts';

type Needs = 'store' | 'cache' | 'queues' | 'quotas' | 'audit' | 'config' | 'log';

/** Deletion of an application, and its way back. */
export const deletionRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  { store, cache, queues, quotas, audit, config, log },
) => {
  ownerRoutes(app, 'Applications');
  const { applications } = store;
  const sendOne = createSendOne(createActivityOf(store));
  const announce = createAnnounce({ cache, queues, log });

  app.delete(
    '/applications/:domain',
    {
      schema: {
        operationId: 'deleteApplication',
        summary: 'Delete an application with all its entries',
        description:
          'Uploads stop, and unfinished jobs are cancelled. Until the time in the message you can restore it; then it is purged.',
        params: ByDomain,
        response: {
          200: Success(Message, 'Deleted.', {
            message:
              'application weather-station-k3v9q2 was deleted; you can restore it until 2026-11-28T04:00:00.000Z',
          }),
        },
      },
    },
    async (request, reply) => {
      const { domain } = request.params;
      const removed = await applications.remove(domain, request.owner.id, config.deletionGraceMs);
      if (!removed) throw applicationNotFound(domain);
      const { id, purgeAt } = removed;
      await Promise.all([
        audit.note(request, { action: 'application.deleted', application: domain }),
        announce(id, purgeAt ? ['invalidations'] : ['invalidations', 'purges']),
      ]);
      const next = purgeAt
        ? `you can restore it until ${purgeAt.toISOString()}`
        : 'its entries are being purged';
      return success(reply, { message: `application ${domain} was deleted; ${next}` });
    },
  );

  app.post(
    '/applications/:domain/restore',
    {
      schema: {
        operationId: 'restoreApplication',
        summary: 'Restore a deleted application',
        description:
          'Its entries, keys and finished jobs are there again; jobs that the deletion cancelled stay cancelled. 404 once its purge has begun.',
        params: ByDomain,
        response: { 200: Success(Application), ...overLimit },
      },
    },
    async (request, reply) => {
      const { domain } = request.params;
      await quotas.check('applications', request.owner.id);
      const isRestored = await applications.restore(domain, request.owner.id);
      // Where it was restored before, an answer may have been lost.
      const application = await findApplication(applications, request);
      if (isRestored) await audit.note(request, { action: 'application.restored', application: domain });
      return sendOne(reply, application);
    },
  );
};
