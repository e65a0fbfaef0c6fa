import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { forbidden } from '../http/refusals.ts';
import {
  loginOnly,
  operation,
  overLimit,
  overRate,
  ownFailures,
  rateLimited,
  tagRoutes,
  takeSmallBodies,
} from '../http/route-parts.ts';
import { addressKey, limitAddresses } from '../limits/rate.ts';
import { browserSessions } from './browser-sessions.ts';
import { Credentials, PasswordByCode, PasswordChange, Registration, Token } from './contract.ts';
import { isFirstCode } from './first-code.ts';
import { createLogIn, invalidCredentials } from './log-in.ts';
import { createLoginGuard } from './login-guard.ts';
import { createProvider } from './oidc/provider.ts';
import { oidcRoutes } from './oidc/routes.ts';
import { createPasswords } from './passwords.ts';
import { ByName } from './profile-routes.ts';
import { createSecondFactors } from './second-factor.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { sessionRoutes } from './session-routes.ts';

const invalidCode = () =>
  invalidCredentials(
    'wrong username or code; a code works once and expires, so ask the operator for another',
  );

const invalidFirstCode = () =>
  invalidCredentials('wrong code; the code of the link works once, for the first user of this installation');

/** Each route here that takes a body takes a password. */
function refusePasswords(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (routeOptions.schema?.body)
      throw forbidden(
        'passwords are off (PASSWORD_LOGIN); sign in through the provider, on the sign-in page',
      );
  });
}

export const userRoutes: Routes = async (app, given) => {
  const { counters, capacity, audit, config, log } = given;
  const { users } = given.store;
  const passwords = createPasswords(config.bcryptCost, capacity.passwords);
  app.addHook('onClose', () => passwords.close());
  const guard = createLoginGuard(counters);
  tagRoutes(app, 'Accounts');
  takeSmallBodies(app);
  if (!config.passwordLogin) refusePasswords(app);

  const factors = createSecondFactors(users, config.secretsKeys, log);
  const logIn = createLogIn({ users, passwords, guard, factors, audit, log });
  const sessions = browserSessions(app, given);
  const { publicUrl = '' } = config;
  const waitMs = given.timings.providerWaitMs;
  const provider = config.oidc && createProvider(config.oidc, { publicUrl, log, waitMs });
  await app.register(sessionRoutes, { ...given, logIn, sessions, provider });
  await app.register(oidcRoutes, { ...given, sessions, provider });
  await app.register(secondFactorRoutes, { ...given, guard, factors });

  /** Not to be awaited: the time of the answer must not tell whether the user exists. Never rejects. */
  async function countRefusedCode(request: FastifyRequest, username: string): Promise<void> {
    const user = await users.byName(username).catch(() => undefined);
    if (user) await audit.count(request, { action: 'user.code-refused', via: 'code', user });
  }

  app.post(
    '/users/register',
    {
      ...operation('registerUser', 'Register a user', {
        description:
          'Open to everyone while the operator allows it with `REGISTRATION_OPEN`, and to the first user with a code.',
        body: Registration,
        response: {
          200: { ...SuccessMessage('Registered.', 'user ada was registered'), ...rateLimited },
          ...ownFailures('InvalidCredentialsError', 'RegistrationClosedError', 'ResourceConflictError'),
          ...overRate,
        },
      }),
      // A closed registration counts no requests.
      onRequest: config.registrationOpen
        ? limitAddresses(counters, config.registerRate, 'registrations')
        : [],
      preValidation: async ({ body }) => {
        if (config.registrationOpen || body?.code !== undefined) return;
        const message = 'registration is closed; the operator opens it with REGISTRATION_OPEN';
        throw new ApiError('RegistrationClosedError', message);
      },
    },
    async (request, reply) => {
      const { username, locale, password, code } = request.body;
      const isFirst = code !== undefined;
      // Checked before the slow hash. If several use the code at once, `create` decides.
      if (isFirst && !(isFirstCode(code, config.jwt.secrets) && (await users.isEmpty())))
        throw invalidFirstCode();
      const passwordHash = await passwords.hash(password, addressKey(request.ip));
      const user = await users.create({ username, locale, passwordHash, ...(isFirst && { first: true }) });
      if (!user)
        throw isFirst
          ? invalidFirstCode()
          : new ApiError('ResourceConflictError', `username ${username} is taken`);
      await audit.note(request, { action: 'user.registered', via: isFirst ? 'code' : 'password', user });
      return success(reply, { message: `user ${username} was registered` });
    },
  );

  app.post(
    '/users/login',
    {
      ...operation('logIn', 'Log in', {
        description: 'Returns a token for the other routes.',
        body: Credentials,
        response: {
          200: { ...Success(Token), ...rateLimited },
          ...ownFailures('InvalidCredentialsError', 'SecondFactorRequiredError', 'ForbiddenRequestError'),
          ...overRate,
        },
      }),
      onRequest: limitAddresses(counters, config.loginRate, 'logins'),
    },
    async (request, reply) => {
      const user = await logIn(request, request.body);
      return success(reply, { token: app.issueToken(user) });
    },
  );

  app.put(
    '/users/me/password',
    {
      ...operation('changePassword', 'Change your password', {
        description: 'All earlier tokens stop working: log in again.',
        security: [{ bearer: [] }],
        body: PasswordChange,
        response: {
          200: SuccessMessage('Changed.', 'the password was changed; log in again'),
          ...ownFailures('InvalidCredentialsError'),
          ...overLimit,
        },
      }),
      onRequest: app.authenticate,
      config: loginOnly,
    },
    async (request, reply) => {
      const { body, owner } = request;
      const client = addressKey(request.ip);
      const isRight = await guard(owner.username, client, () =>
        passwords.verify(body.old_password, owner.passwordHash, client),
      );
      if (!isRight) {
        await audit.count(request, { action: 'user.password-refused' });
        throw invalidCredentials('old_password is wrong');
      }
      const changed = await users.changePassword(owner, await passwords.hash(body.new_password, client));
      if (!changed) throw invalidCredentials('the password was changed meanwhile');
      await audit.note(request, { action: 'user.password-changed' });
      return success(reply, { message: 'the password was changed; log in again' });
    },
  );

  app.put(
    '/users/:username/password',
    {
      ...operation('setPassword', 'Set a password with a code', {
        description:
          'The operator gives the code to a user who is invited or has forgotten the password. It works once, also while registration is closed. All earlier tokens stop working.',
        params: ByName,
        body: PasswordByCode,
        response: {
          200: {
            ...SuccessMessage('Set.', 'the password was set; log in'),
            ...rateLimited,
          },
          ...ownFailures('InvalidCredentialsError'),
          ...overRate,
        },
      }),
      onRequest: limitAddresses(counters, config.loginRate, 'logins'),
    },
    async (request, reply) => {
      const { params, body } = request;
      // Checked before the slow hash.
      if (!(await users.hasCode(params.username, body.code))) {
        void countRefusedCode(request, params.username);
        throw invalidCode();
      }
      const passwordHash = await passwords.hash(body.new_password, addressKey(request.ip));
      const user = await users.byName(params.username);
      if (!user || !(await users.setPasswordByCode(params.username, body.code, passwordHash)))
        throw invalidCode();
      await audit.note(request, { action: 'user.password-set', via: 'code', user });
      return success(reply, { message: 'the password was set; log in' });
    },
  );
};
