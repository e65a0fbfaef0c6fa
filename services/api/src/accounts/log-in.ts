import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Dependencies } from '../dependencies.ts';
import { addressKey } from '../limits/rate.ts';
import type { Credentials } from './contract.ts';
import type { LoginGuard } from './login-guard.ts';
import type { createPasswords } from './passwords.ts';
import type { CodeUse, SecondFactors } from './second-factor.ts';

/** RFC 9110 requires a challenge with each 401. */
export const invalidCredentials = (message: string) =>
  new ApiError('InvalidCredentialsError', message, { headers: { 'www-authenticate': 'Bearer' } });

export const wrongCode = () =>
  invalidCredentials('wrong code; each code is good once, so wait for the next one of your app');

const codeNeeded = () =>
  new ApiError(
    'SecondFactorRequiredError',
    'send `code` too: of your authenticator app, or a recovery code',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  );

interface Steps extends Pick<Dependencies, 'audit' | 'log'> {
  users: Dependencies['store']['users'];
  passwords: ReturnType<typeof createPasswords>;
  guard: LoginGuard;
  factors: SecondFactors;
}

export type LogIn = ReturnType<typeof createLogIn>;

/** Checks a name, a password and the code of a second factor, and returns the user. Throws ApiError. */
export function createLogIn({ users, passwords, guard, factors, audit, log }: Steps) {
  /** Hashes a password again if `BCRYPT_COST` has changed. Never rejects: the next login tries again. */
  async function renewHash({ id, passwordHash }: UserRecord, password: string, client: string) {
    if (!passwordHash || passwords.hasCost(passwordHash)) return;
    try {
      await users.renewHash(id, passwordHash, await passwords.hash(password, client));
    } catch (error) {
      log.warn({ event: 'password.unrenewed', user: id, reason: (error as Error).message });
    }
  }

  return async (
    request: FastifyRequest,
    { username, password, code }: Static<typeof Credentials>,
  ): Promise<UserRecord> => {
    const client = addressKey(request.ip);
    let user: UserRecord | undefined;
    let used: CodeUse | undefined;
    const isRight = await guard(username, client, async () => {
      user = await users.byName(username);
      // Only who knows the password learns whether a code is needed.
      if (!(await passwords.verify(password, user?.passwordHash, client))) return false;
      if (!user?.secondFactor?.confirmedAt || user.disabledAt) return true;
      // Neither right nor wrong: the limits must stay as they are.
      if (code === undefined) throw codeNeeded();
      used = await factors.use(user, code);
      return used !== 'wrong';
    });
    if (user && used === 'wrong') {
      await audit.count(request, { action: 'second-factor.failed', via: 'password', user });
      throw wrongCode();
    }
    if (!isRight || !user) {
      // Not awaited: the time of the answer must not tell whether the user exists.
      if (user) void audit.count(request, { action: 'user.login-failed', via: 'password', user });
      throw invalidCredentials('wrong username or password');
    }
    if (user.disabledAt)
      throw new ApiError('ForbiddenRequestError', 'this user is disabled; ask the operator');
    void renewHash(user, password, client);
    const details = used && { code: used };
    await audit.note(request, {
      action: 'user.logged-in',
      via: 'password',
      user,
      ...(details && { details }),
    });
    return user;
  };
}
