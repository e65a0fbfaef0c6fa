import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { User, UserUpdate } from '@sluice/shared/contracts/users.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../http/envelope.ts';
import { ownerRoutes, refusals } from '../http/route-parts.ts';

const toUser = ({ username, locale, createdAt, lastModifiedAt }: Omit<UserRecord, 'passwordHash'>): User => ({
  username,
  locale,
  createdAt: createdAt.toISOString(),
  lastModifiedAt: lastModifiedAt.toISOString(),
});

const ByName = Type.Object({ username: Type.String() });

/** Profiles: look up, change. */
export const profileRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, 'store' | 'audit'>> = async (
  app,
  { store: { users }, audit },
) => {
  ownerRoutes(app, 'Accounts');

  async function find(username: string): Promise<UserRecord> {
    const found = await users.byName(username);
    if (!found) throw new ApiError('ResourceNotFoundError', `user ${username.slice(0, 40)} was not found`);
    return found;
  }

  async function update(request: FastifyRequest, body: UserUpdate): Promise<User> {
    const { owner } = request;
    const updated = await users.update(owner.id, body);
    await audit.note(request, { action: 'user.updated', details: { changed: Object.keys(body) } });
    return toUser(updated ?? owner);
  }

  app.get(
    '/users',
    { schema: { summary: 'List users', response: { 200: Success(Type.Array(User)) } } },
    async (_request, reply) => success(reply, (await users.list()).map(toUser)),
  );

  app.get(
    '/users/me',
    { schema: { summary: 'The own user', response: { 200: Success(User) } } },
    async ({ owner }, reply) => success(reply, toUser(owner)),
  );

  app.get(
    '/users/:username',
    { schema: { summary: 'A user', params: ByName, response: { 200: Success(User) } } },
    async ({ params }, reply) => success(reply, toUser(await find(params.username))),
  );

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/users/me',
    schema: { summary: 'Update your profile', body: UserUpdate, response: { 200: Success(User) } },
    handler: async (request, reply) => success(reply, await update(request, request.body)),
  });

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/users/:username',
    schema: {
      summary: 'Update your profile, by your username',
      params: ByName,
      body: UserUpdate,
      response: { 200: Success(User), ...refusals(403) },
    },
    handler: async (request, reply) => {
      const { id } = await find(request.params.username);
      if (id !== request.owner.id)
        throw new ApiError('ForbiddenRequestError', 'you can change only your own profile');
      return success(reply, await update(request, request.body));
    },
  });
};
