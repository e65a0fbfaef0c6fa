import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { User, UserUpdate } from '@sluice/shared/contracts/users.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord, UserStore } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import { failures, refusals, security } from '../http/route-parts.ts';

interface Dependencies {
  users: UserStore;
  audit: Audit;
}

const toUser = ({ username, locale, createdAt, lastModifiedAt }: Omit<UserRecord, 'passwordHash'>): User => ({
  username,
  locale,
  createdAt: createdAt.toISOString(),
  lastModifiedAt: lastModifiedAt.toISOString(),
});

const tags = ['Accounts'];
const ByName = Type.Object({ username: Type.String() });

/** Profiles: look up, change. */
export const profileRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (app, { users, audit }) => {
  async function find(username: string): Promise<UserRecord> {
    const found = await users.byName(username);
    if (!found) throw new ApiError('ResourceNotFoundError', `user ${username.slice(0, 40)} was not found`);
    return found;
  }

  app.get(
    '/users',
    {
      schema: {
        summary: 'List users',
        tags,
        security,
        response: { 200: Success(Type.Array(User)), ...failures },
      },
      onRequest: app.authenticate,
    },
    async (_request, reply) => success(reply, (await users.list()).map(toUser)),
  );

  app.get(
    '/users/me',
    {
      schema: { summary: 'The own user', tags, security, response: { 200: Success(User), ...failures } },
      onRequest: app.authenticate,
    },
    async ({ owner }, reply) => success(reply, toUser(owner)),
  );

  app.get(
    '/users/:username',
    {
      schema: {
        summary: 'A user',
        tags,
        security,
        params: ByName,
        response: { 200: Success(User), ...failures },
      },
      onRequest: app.authenticate,
    },
    async ({ params }, reply) => success(reply, toUser(await find(params.username))),
  );

  async function update(request: FastifyRequest, body: UserUpdate): Promise<User> {
    const { owner } = request;
    const updated = await users.update(owner.id, body);
    await audit.note(request, { action: 'user.updated', details: { changed: Object.keys(body) } });
    return toUser(updated ?? owner);
  }

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/users/me',
      schema: {
        summary: 'Update your profile',
        tags,
        security,
        body: UserUpdate,
        response: { 200: Success(User), ...failures },
      },
      onRequest: app.authenticate,
      handler: async (request, reply) => success(reply, await update(request, request.body)),
    });

    app.route({
      method,
      url: '/users/:username',
      schema: {
        summary: 'Update your profile, by your username',
        tags,
        security,
        params: ByName,
        body: UserUpdate,
        response: { 200: Success(User), ...refusals(403), ...failures },
      },
      onRequest: app.authenticate,
      handler: async (request, reply) => {
        const { id } = await find(request.params.username);
        if (id !== request.owner.id)
          throw new ApiError('ForbiddenRequestError', 'you can change only your own profile');
        return success(reply, await update(request, request.body));
      },
    });
  }
};
