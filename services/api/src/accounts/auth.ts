import { randomUUID } from 'node:crypto';
import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import { createSigner, createVerifier } from 'fast-jwt';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { AppDependencies } from '../dependencies.ts';

interface Claims {
  sub: string;
  /** Version of the user's tokens. */
  ver: number;
  jti: string;
}

const unauthorized = (reason: string, cause?: unknown) =>
  new ApiError('UnauthorizedRequestError', `a bearer token is required: ${reason}`, {
    headers: { 'www-authenticate': 'Bearer' },
    cause,
  });

const issuer = 'sluice';

/** Tokens: HS256 and nothing else, bound to a version that a password change raises. */
export const auth = fp<Pick<AppDependencies, 'store' | 'config'>>(
  async (app, { store: { users }, config }) => {
    const { secrets, durationMs } = config.jwt;
    // The first secret signs, all verify.
    const sign = createSigner({ key: secrets[0], algorithm: 'HS256', expiresIn: durationMs, iss: issuer });
    // A claim that is absent is not compared: it must be required as well.
    const requiredClaims = ['iss', 'sub', 'ver', 'jti', 'exp'];
    const verifiers = secrets.map((key) =>
      createVerifier({ key, algorithms: ['HS256'], allowedIss: issuer, requiredClaims }),
    );

    /** Throws what the last of the secrets has to say, or the one whose signature it is. */
    function verify(token: string, [first, ...others] = verifiers): Claims {
      try {
        return first?.(token);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === 'FAST_JWT_INVALID_SIGNATURE' && others.length > 0) return verify(token, others);
        const isOld = code === 'FAST_JWT_EXPIRED';
        throw unauthorized(isOld ? 'this one has expired, log in again' : 'this one is not valid', error);
      }
    }

    app.decorateRequest('owner');

    app.decorate('issueToken', (user: UserRecord) =>
      sign({ sub: user.id, ver: user.tokenVersion, jti: randomUUID() } satisfies Claims),
    );

    app.decorate('authenticate', async (request: FastifyRequest) => {
      const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (!token) throw unauthorized('send it as Authorization: Bearer <token>');
      const claims = verify(token);
      const user = /^[0-9a-f]{24}$/.test(String(claims.sub)) ? await users.byId(claims.sub) : undefined;
      if (!user || user.tokenVersion !== claims.ver)
        throw unauthorized('this one is no longer valid, log in again');
      request.owner = user;
    });
  },
  { name: 'auth' },
);

declare module 'fastify' {
  interface FastifyInstance {
    issueToken(user: UserRecord): string;
    authenticate: onRequestAsyncHookHandler;
  }
  interface FastifyRequest {
    /** The user whose token came with the request; set by `authenticate`. */
    owner: UserRecord;
  }
}
