import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { notFound } from '../http/refusals.ts';
import { bearerRoutes, operation, ownFailures, takeSmallBodies } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { Profile, User, UserUpdate } from './contract.ts';

const toUser = ({ username, locale, createdAt, lastModifiedAt }: Omit<UserRecord, 'passwordHash'>): User => ({
  username,
  locale,
  createdAt: createdAt.toISOString(),
  lastModifiedAt: lastModifiedAt.toISOString(),
});

const toProfile = (user: UserRecord): Static<typeof Profile> => ({
  ...toUser(user),
  signs_in_by: [
    ...(user.passwordHash ? ['password' as const] : []),
    ...(user.identity ? ['oidc' as const] : []),
  ],
});

export const ByName = Type.Object({
  username: Text('Name of the user.', 'ada'),
});

export const profileRoutes: Routes = async (
  app,
  { store: { addresses, users, applications }, audit, config },
) => {
  bearerRoutes(app, 'Accounts');
  takeSmallBodies(app);

  async function find(username: string): Promise<UserRecord> {
    const found = await users.byName(username);
    if (!found) throw notFound('user', username);
    return found;
  }

  async function update(request: FastifyRequest, body: UserUpdate): Promise<User> {
    const { owner } = request;
    const updated = await users.update(owner.id, body);
    const after = toUser(updated ?? owner);
    const details = { changed: Object.keys(body) };
    await audit.note(request, { action: 'user.updated', details, before: toUser(owner), after });
    return after;
  }

  app.get(
    '/users',
    operation('listUsers', 'List users', {
      description: 'All of them; with `USERS_VISIBLE=off` you, and those with whom you share an application.',
      response: { 200: Success(Type.Array(User)) },
    }),
    async ({ owner }, reply) => {
      const ids = config.usersVisible ? undefined : await applications.sharingWith(owner.id);
      return success(reply, (await users.list(ids)).map(toUser));
    },
  );

  app.get(
    '/users/me',
    operation('getProfile', 'Get your profile', {
      response: { 200: Success(Profile) },
      config: { needsNoSecondFactor: true },
    }),
    async ({ owner }, reply) => {
      const { address, pending } = await addresses.of(owner.id);
      const email = { ...(address && { email: address }), ...(pending && { email_pending: pending }) };
      return success(reply, { ...toProfile(owner), ...email });
    },
  );

  app.get(
    '/users/:username',
    operation('getUser', 'Get a user', {
      params: ByName,
      response: { 200: Success(User) },
    }),
    async ({ params }, reply) => success(reply, toUser(await find(params.username))),
  );

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/users/me',
    ...operation('updateProfile', 'Update your profile', {
      description: 'PUT does the same.',
      body: UserUpdate,
      response: { 200: Success(User) },
    }),
    handler: async (request, reply) => success(reply, await update(request, request.body)),
  });

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/users/:username',
    ...operation('updateUser', 'Update your profile by username', {
      description: 'You can change only your own profile. PUT does the same.',
      params: ByName,
      body: UserUpdate,
      response: { 200: Success(User), ...ownFailures('ForbiddenRequestError') },
    }),
    handler: async (request, reply) => {
      const { id } = await find(request.params.username);
      if (id !== request.owner.id)
        throw new ApiError('ForbiddenRequestError', 'you can change only your own profile');
      return success(reply, await update(request, request.body));
    },
  });
};
