import { activityRoutes } from './accounts/activity-routes.ts';
import { auth } from './accounts/auth.ts';
import { emailRoutes } from './accounts/email-routes.ts';
import { ownSessionRoutes } from './accounts/own-session-routes.ts';
import { profileRoutes } from './accounts/profile-routes.ts';
import { userRoutes } from './accounts/routes.ts';
import { tokenRoutes } from './accounts/token-routes.ts';
import { alertRoutes } from './alerts/routes.ts';
import { unsubscribeRoutes } from './alerts/unsubscribe-routes.ts';
import { memberRoutes } from './applications/member-routes.ts';
import { applicationRoutes } from './applications/routes.ts';
import { schemaRoutes } from './applications/schema-routes.ts';
import { uniqueRoutes } from './applications/unique-routes.ts';
import { archiveRoutes } from './archives/routes.ts';
import { createAudit } from './audit.ts';
import { clientRoutes } from './clients/routes.ts';
import { commandLineRoutes } from './console/command-line.ts';
import { consoleRoutes } from './console/routes.ts';
import type { AppDependencies, Dependencies } from './dependencies.ts';
import { missingRoutes } from './entries/missing-routes.ts';
import { entryRoutes } from './entries/routes.ts';
import { statsRoutes } from './entries/stats-routes.ts';
import { erasureRoutes } from './erasures/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { healthRoutes } from './http/health.ts';
import { createServer, untilPrepared } from './http/server.ts';
import { importFileRoutes } from './imports/file-routes.ts';
import { importRoutes } from './imports/routes.ts';
import { urlImportRoutes } from './imports/url-routes.ts';
import { jobWords, type RoutedKind } from './jobs/describe.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { createKeyring } from './known/keyring.ts';
import { createQuotas } from './limits/quota.ts';
import { createCounters } from './limits/rate.ts';
import { liveRoutes } from './live/routes.ts';
import { metricsRoute } from './metrics/route.ts';
import { fieldsRoutes } from './questions/fields-routes.ts';
import { questionRoutes } from './questions/routes.ts';
import { savedQuestionRoutes } from './questions/saved-routes.ts';
import { replayRoutes } from './refused/replay-routes.ts';
import { refusedRoutes } from './refused/routes.ts';
import { rehearsalRoutes } from './rehearsals/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { viewRoutes } from './views/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** The server with all its routes. It does not listen yet. */
export async function buildApp(given: AppDependencies) {
  const { config, log, store, redis } = given;
  const app = await createServer(given);
  await auth(app, given);

  const quotas = createQuotas(given);
  const keyring = createKeyring(store, given.feed);
  app.addHook('onClose', async () => {
    quotas.close();
    await keyring.close();
  });
  const dependencies: Dependencies = {
    ...given,
    quotas,
    audit: createAudit(store.audit, config.auditRetentionMs, log),
    keyring,
    counters: createCounters(redis, config.redis),
  };

  await app.register(metricsRoute, dependencies);
  await app.register(
    async (api) => {
      api.addHook('onRequest', untilPrepared(given.lifecycle));
      await api.register(profileRoutes, dependencies);
      await api.register(userRoutes, dependencies);
      await api.register(emailRoutes, dependencies);
      await api.register(activityRoutes, dependencies);
      await api.register(tokenRoutes, dependencies);
      await api.register(ownSessionRoutes, dependencies);
      await api.register(applicationRoutes, dependencies);
      await api.register(memberRoutes, dependencies);
      await api.register(schemaRoutes, dependencies);
      await api.register(uniqueRoutes, dependencies);
      await api.register(clientRoutes, dependencies);
      await api.register(keyRoutes, dependencies);
      await api.register(webhookRoutes, dependencies);
      await api.register(alertRoutes, dependencies);
      await api.register(unsubscribeRoutes, dependencies);
      await api.register(archiveRoutes, dependencies);
      await api.register(uploadRoutes, dependencies);
      await api.register(entryRoutes, dependencies);
      await api.register(erasureRoutes, dependencies);
      await api.register(statsRoutes, dependencies);
      await api.register(questionRoutes, dependencies);
      await api.register(fieldsRoutes, dependencies);
      await api.register(savedQuestionRoutes, dependencies);
      await api.register(viewRoutes, dependencies);
      await api.register(missingRoutes, dependencies);
      await api.register(liveRoutes, dependencies);
      await api.register(refusedRoutes, dependencies);
      await api.register(replayRoutes, dependencies);
      await api.register(exportRoutes, dependencies);
      await api.register(importRoutes, dependencies);
      await api.register(importFileRoutes, dependencies);
      await api.register(urlImportRoutes, dependencies);
      await api.register(rehearsalRoutes, dependencies);
      for (const kind of Object.keys(jobWords) as RoutedKind[])
        await api.register(jobRoutes, { ...dependencies, kind });
      await api.register(healthRoutes, dependencies);
    },
    { prefix: '/api' },
  );
  await app.register(consoleRoutes, dependencies);
  await app.register(commandLineRoutes, dependencies);
  app.refuseOtherMethods();
  return app;
}
