import type { Session } from '@sluice/store/accounts/users.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { notFound } from '../http/refusals.ts';
import { bearerRoutes, loginOnly, operation } from '../http/route-parts.ts';
import { Bool, DateTime, Flag, Named, Query, Text } from '../http/schemas.ts';

const OpenSession = Named('OpenSession', {
  id: Type.String({ examples: ['0f8c6c1e-6a1f-4f0e-9f0b-2f6f4f7f1a11'] }),
  browser: Text('What the browser says it is.', 'Firefox on Windows'),
  network: Text('Network of the last request: an IPv4 /24 or an IPv6 /48.', '192.0.2.0/24'),
  since: DateTime('When the browser signed in.'),
  last_seen: DateTime('Exact to five minutes.'),
  current: Bool('Whether the token of this request belongs to it.', true),
});

type OpenSession = Static<typeof OpenSession>;

const ById = Type.Object({ id: Text('Id of the session.') });
const AndTokens = Query({ tokens: Flag('Revoke your personal tokens too.') });

/** Browsers in which a user is signed in. */
export const ownSessionRoutes: Routes = async (app, { store: { users, personalTokens }, audit, config }) => {
  bearerRoutes(app, 'Accounts');

  /** A session that an earlier version began has only an id and an end. */
  function toView(
    { id, browser, network, since, lastSeen, expiresAt }: Session,
    current: boolean,
  ): OpenSession {
    const began = since ?? new Date(expiresAt.getTime() - config.jwt.durationMs);
    return {
      id,
      browser: browser ?? 'unknown',
      network: network ?? 'unknown',
      since: began.toISOString(),
      last_seen: (lastSeen ?? began).toISOString(),
      current,
    };
  }

  app.get(
    '/users/me/sessions',
    operation('listSessions', 'List your sessions', {
      description:
        'Browsers in which you are signed in, newest first. A token of `POST /users/login` is no session.',
      response: { 200: Success(Type.Array(OpenSession)) },
      config: loginOnly,
    }),
    async ({ owner: { sessions = [] }, session }, reply) => {
      const open = sessions.filter(({ expiresAt }) => expiresAt.getTime() > Date.now()).reverse();
      return success(
        reply,
        open.map((each) => toView(each, each.id === session?.id)),
      );
    },
  );

  app.delete(
    '/users/me/sessions',
    operation('endOtherSessions', 'End your other sessions', {
      description:
        'Signs out all browsers but that of this request. Personal tokens stay without `tokens=true`.',
      querystring: AndTokens,
      response: { 200: SuccessMessage('Ended.', '2 other sessions were ended') },
      config: loginOnly,
    }),
    async (request, reply) => {
      const { owner, session, query } = request;
      const { tokens = false } = query;
      const count = await users.endOtherSessions(owner.id, session?.id);
      if (tokens) await personalTokens.removeAll(owner.id);
      await audit.note(request, { action: 'session.ended', details: { count, tokens } });
      const ended = count === 1 ? '1 other session was ended' : `${count} other sessions were ended`;
      return success(reply, { message: tokens ? `${ended}; all personal tokens were revoked` : ended });
    },
  );

  app.delete(
    '/users/me/sessions/:id',
    operation('endSession', 'End a session', {
      description: 'Its browser is signed out at its next request.',
      params: ById,
      response: {
        200: SuccessMessage('Ended.', 'session 0f8c6c1e-6a1f-4f0e-9f0b-2f6f4f7f1a11 was ended'),
      },
      config: loginOnly,
    }),
    async (request, reply) => {
      const { id } = request.params;
      if (!(await users.endSession(request.owner.id, id))) throw notFound('session', id);
      await audit.note(request, { action: 'session.ended', details: { session: id } });
      return success(reply, { message: `session ${id} was ended` });
    },
  );
};
