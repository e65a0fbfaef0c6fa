import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { takeSmallBodies } from '../http/route-parts.ts';

const ByCode = Type.Object({ code: Type.String() });
/** As mail programs send it; RFC 8058. Its content says nothing. */
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

const page = (words: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sluice</title><main>${words}</main></html>\n`;

const ask =
  '<h1>Alerts</h1><form method="post"><p>Get no more mails about this application?</p><button>Unsubscribe</button></form>';
const done = '<h1>Alerts</h1><p>You get no more mails about this application.</p>';

/** The link in mails that ends alerts, without a sign-in. Only a POST ends them: programs that check links follow them. */
export const unsubscribeRoutes: Routes = async (app, { store, audit }) => {
  const { alerts, applications, users } = store;
  takeSmallBodies(app);
  app.addContentTypeParser(forms, (_request: FastifyRequest, stream: IncomingMessage, parsed) => {
    stream
      .resume()
      .once('end', () => parsed(null))
      .once('error', parsed);
  });
  // The policy of all other routes allows no form.
  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-security-policy', "default-src 'none';form-action 'self';frame-ancestors 'none'");
  });
  const send = (reply: FastifyReply, words: string) =>
    reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(page(words));
  const options = { schema: { hide: true, params: ByCode } };

  app.get('/alerts/:code/unsubscribe', options, (_request, reply) => send(reply, ask));

  // The same answer for a code that was used before: who has it wants no mails, and gets none.
  app.post('/alerts/:code/unsubscribe', options, async (request, reply) => {
    const ended = await alerts.removeByCode(request.params.code);
    const [user, application] = ended
      ? await Promise.all([users.byId(ended.user), applications.byId(ended.application)])
      : [];
    if (ended && user && application)
      await audit.note(request, {
        action: 'alerts.updated',
        via: 'code',
        user,
        application: application.domain,
        details: { changed: Object.keys(ended.settings) },
        before: ended.settings,
        after: {},
      });
    return send(reply, done);
  });
};
