import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { Credentials, PasswordChange, Registration } from '@sluice/shared/contracts/users.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { UserRecord, UserStore } from '@sluice/store/accounts/users.ts';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import {
  failures,
  overLimit,
  overRate,
  rateLimited,
  refusals,
  security,
  takeSmallBodies,
} from '../http/route-parts.ts';
import { addressKey } from '../limits/address-key.ts';
import type { Capacities } from '../limits/capacity.ts';
import { type Counters, limitAddresses } from '../limits/rate.ts';
import { createLoginGuard } from './login-guard.ts';
import { createPasswords } from './passwords.ts';
import { profileRoutes } from './profile-routes.ts';
import { createRenewHash } from './renew-hash.ts';

interface Dependencies {
  users: UserStore;
  counters: Counters;
  capacity: Pick<Capacities, 'passwords'>;
  audit: Audit;
  config: Pick<ApiConfig, 'registrationOpen' | 'bcryptCost' | 'registerRate' | 'loginRate'>;
  log: Logger;
}

/** RFC 9110 wants a challenge with each 401. */
const invalidCredentials = (message: string) =>
  new ApiError('InvalidCredentialsError', message, { headers: { 'www-authenticate': 'Bearer' } });

const tags = ['Accounts'];

/** Accounts: register, log in, change the password; the rest is in profile-routes.ts. */
export const userRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { users, counters, capacity, audit, config, log },
) => {
  const { registrationOpen } = config;
  const passwords = createPasswords(config.bcryptCost, capacity.passwords);
  app.addHook('onClose', () => passwords.close());
  const renewHash = createRenewHash({ users, passwords, log });
  const guard = createLoginGuard(counters);
  const limits = {
    register: limitAddresses(counters, config.registerRate, 'registrations'),
    login: limitAddresses(counters, config.loginRate, 'logins'),
  };
  takeSmallBodies(app);
  await app.register(profileRoutes, { users, audit });

  app.post(
    '/users/register',
    {
      schema: {
        summary: 'Register',
        tags,
        body: Registration,
        response: {
          200: { ...Success(Message), ...rateLimited },
          ...refusals(403, 409),
          ...overRate,
          ...failures,
        },
      },
      // A closed one counts nothing.
      onRequest: registrationOpen ? limits.register : [],
      preValidation: async () => {
        if (!registrationOpen) {
          throw new ApiError(
            'RegistrationClosedError',
            'registration is closed; the operator opens it with REGISTRATION_OPEN',
          );
        }
      },
    },
    async (request, reply) => {
      const { body } = request;
      const passwordHash = await passwords.hash(body.password, addressKey(request.ip));
      const created = await users.create({ username: body.username, locale: body.locale, passwordHash });
      if (!created) throw new ApiError('ResourceConflictError', `username ${body.username} is taken`);
      await audit.note(request, { action: 'user.registered', user: created });
      return success(reply, { message: `user ${created.username} was registered` });
    },
  );

  app.post(
    '/users/login',
    {
      schema: {
        summary: 'Log in',
        tags,
        body: Credentials,
        response: {
          200: { ...Success(Type.Object({ token: Type.String() })), ...rateLimited },
          ...refusals(401),
          ...overRate,
          ...failures,
        },
      },
      onRequest: limits.login,
    },
    async (request, reply) => {
      const { body, ip } = request;
      let user: UserRecord | undefined;
      const isRight = await guard(body.username, ip, async () => {
        user = await users.byName(body.username);
        return passwords.verify(body.password, user?.passwordHash, addressKey(ip));
      });
      if (!isRight || !user) {
        // Not waited for: the time of the answer must not tell that there is such a user.
        if (user) void audit.count(request, { action: 'user.login-failed', user });
        throw invalidCredentials('wrong username or password');
      }
      void renewHash(user, body.password, addressKey(ip));
      await audit.note(request, { action: 'user.logged-in', user });
      return success(reply, { token: app.issueToken(user) });
    },
  );

  app.put(
    '/users/me/password',
    {
      schema: {
        summary: 'Change the own password; every earlier token stops working',
        tags,
        security,
        body: PasswordChange,
        response: { 200: Success(Message), ...overLimit, ...failures },
      },
      onRequest: app.authenticate,
    },
    async (request, reply) => {
      const { body, owner, ip } = request;
      const isRight = await guard(owner.username, ip, () =>
        passwords.verify(body.old_password, owner.passwordHash, addressKey(ip)),
      );
      if (!isRight) {
        throw invalidCredentials('old_password is wrong');
      }
      const hash = await passwords.hash(body.new_password, addressKey(ip));
      const changed = await users.changePassword(owner, hash);
      if (!changed) throw invalidCredentials('the password was changed meanwhile');
      await audit.note(request, { action: 'user.password-changed' });
      return success(reply, { message: 'the password was changed; log in again' });
    },
  );
};
