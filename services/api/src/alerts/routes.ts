import { editorMatters } from '@sluice/store/alerts/mails.ts';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { findApplication, requireRole } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, takeSmallBodies } from '../http/route-parts.ts';
import { Alerts, AlertUpdate, toAlerts } from './contract.ts';
import { proposeSilence } from './propose-silence.ts';

/** What a user is told of an application by e-mail. Ingest workers find and send it. */
export const alertRoutes: Routes = async (app, { store, audit }) => {
  const { alerts, applications, entries } = store;
  bearerRoutes(app, 'Alerts', 'reader');
  takeSmallBodies(app);
  const path = '/users/me/alerts/:domain';

  app.get(
    path,
    operation('getAlerts', 'Get your alerts of an application', {
      description: 'What you are told by e-mail. Members see only their own.',
      params: ByDomain,
      response: { 200: Success(Alerts) },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const [settings, proposed] = await Promise.all([
        alerts.of(request.owner.id, application.id),
        proposeSilence(entries, application),
      ]);
      return success(reply, toAlerts(settings, proposed));
    },
  );

  app.patch(
    path,
    operation('updateAlerts', 'Update your alerts of an application', {
      description:
        'At most one mail per matter and hour. They go to the e-mail of your profile once it is confirmed. `refused` and `failing` are for editors and the owner.',
      params: ByDomain,
      config: { scope: 'write' },
      body: AlertUpdate,
      response: { 200: Success(Alerts) },
    }),
    async (request, reply) => {
      const { body, owner } = request;
      const application = await findApplication(applications, request);
      if (editorMatters.some((matter) => body[matter])) requireRole(application, owner, 'editor');
      const before = await alerts.of(owner.id, application.id);
      const after = await alerts.update(owner.id, application, body);
      const event = { application: application.domain, details: { changed: Object.keys(body) } };
      await audit.note(request, { action: 'alerts.updated', ...event, before, after });
      return success(reply, toAlerts(after, await proposeSilence(entries, application)));
    },
  );
};
