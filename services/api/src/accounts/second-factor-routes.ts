import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { bearerRoutes, loginOnly, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Bool, Int, Named, Strict, Text } from '../http/schemas.ts';
import { addressKey } from '../limits/rate.ts';
import { Code } from './contract.ts';
import { wrongCode } from './log-in.ts';
import type { LoginGuard } from './login-guard.ts';
import type { CodeUse, SecondFactors } from './second-factor.ts';

const State = Named('SecondFactorState', {
  on: Bool('Whether a login with the password needs a code too.', true),
  required: Bool('Whether this installation requires one of everybody who has a password.', false),
  recovery_codes_left: Int('Recovery codes that were not used.', 10),
});

const NewSecondFactor = Named('NewSecondFactor', {
  otpauth_url: Text(
    'For an authenticator app, as a QR code.',
    'otpauth://totp/Sluice:ada%40sluice.example?issuer=Sluice&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  ),
  recovery_codes: Type.Array(Type.String({ examples: ['k3v9-q2ab-x7mn-c4de'] }), {
    description: 'Each is good once in place of a code of the app. They are shown only in this answer.',
  }),
});

const WithCode = Strict({ title: 'SecondFactorCode', examples: [{ code: '492039' }] }, { code: Code });

interface More {
  guard: LoginGuard;
  factors: SecondFactors;
}

/** An authenticator app besides the password of a user. */
export const secondFactorRoutes: Routes<More> = async (
  app,
  { store: { users }, audit, config, guard, factors },
) => {
  bearerRoutes(app, 'Accounts');
  // Without a second factor, where one is required, a login is good for these routes.
  const open = { ...loginOnly, needsNoSecondFactor: true };

  app.get(
    '/users/me/second-factor',
    operation('getSecondFactor', 'Get the state of your second factor', {
      response: { 200: Success(State) },
      config: open,
    }),
    async ({ owner: { secondFactor } }, reply) => {
      const { confirmedAt, recoveryHashes = [] } = secondFactor ?? {};
      return success(reply, {
        on: confirmedAt !== undefined,
        required: config.secondFactor === 'required',
        recovery_codes_left: confirmedAt ? recoveryHashes.length : 0,
      });
    },
  );

  app.post(
    '/users/me/second-factor',
    operation('beginSecondFactor', 'Set up a second factor', {
      description:
        'Nothing changes until you confirm it with a code of the app. Begin again to get another secret.',
      response: { 200: Success(NewSecondFactor), ...ownFailures('ResourceConflictError') },
      config: open,
    }),
    async ({ owner, hostname }, reply) => success(reply, await factors.begin(owner, hostname)),
  );

  /** Has the limits of passwords, and counters of its own: whoever is signed in must not reset those of logins. Throws ApiError. */
  async function useCode(request: FastifyRequest, code: string): Promise<CodeUse> {
    const { owner, ip } = request;
    let used: CodeUse = 'wrong';
    const isRight = await guard(`code of ${owner.username}`, addressKey(ip), async () => {
      used = await factors.use(owner, code);
      return used !== 'wrong';
    });
    if (isRight) return used;
    await audit.count(request, { action: 'second-factor.failed' });
    throw wrongCode();
  }

  app.post(
    '/users/me/second-factor/confirm',
    operation('confirmSecondFactor', 'Turn on your second factor', {
      description:
        'From now on a login with your password needs a code too. Tokens and sessions stay as they are.',
      body: WithCode,
      response: {
        200: SuccessMessage('On.', 'the second factor is on'),
        ...ownFailures('InvalidCredentialsError', 'ResourceConflictError'),
      },
      config: open,
    }),
    async (request, reply) => {
      const { owner, body } = request;
      if (!(await factors.confirm(owner, body.code))) throw wrongCode();
      await audit.note(request, { action: 'second-factor.confirmed' });
      return success(reply, { message: 'the second factor is on' });
    },
  );

  app.delete(
    '/users/me/second-factor',
    operation('removeSecondFactor', 'Turn off your second factor', {
      description: 'Needs a code of the app, or a recovery code.',
      body: WithCode,
      response: {
        200: SuccessMessage('Off.', 'the second factor is off'),
        ...ownFailures('InvalidCredentialsError', 'ResourceConflictError'),
        ...overLimit,
      },
      config: open,
    }),
    async (request, reply) => {
      const { owner, body } = request;
      if (!owner.secondFactor?.confirmedAt)
        throw new ApiError('ResourceConflictError', 'no second factor is on');
      const used = await useCode(request, body.code);
      await users.removeSecondFactor(owner.id);
      await audit.note(request, { action: 'second-factor.removed', details: { code: used } });
      return success(reply, { message: 'the second factor is off' });
    },
  );
};
