import jwt from '@fastify/jwt';
import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord, UserStore } from '@sluice/shared/store/users.ts';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';

interface Claims {
  sub: string;
  /** Version of the user's tokens. */
  ver: number;
}

interface Options {
  users: UserStore;
  secret: string;
  durationMs: number;
}

function unauthorized(reason: string, cause?: unknown): ApiError {
  return new ApiError('UnauthorizedRequestError', `a bearer token is required: ${reason}`, {
    headers: { 'www-authenticate': 'Bearer' },
    cause,
  });
}

const reasons: Record<string, string> = {
  FST_JWT_NO_AUTHORIZATION_IN_HEADER: 'send it as Authorization: Bearer <token>',
  FST_JWT_BAD_REQUEST: 'send it as Authorization: Bearer <token>',
  FST_JWT_AUTHORIZATION_TOKEN_EXPIRED: 'this one has expired, log in again',
};

/** Tokens: HS256 and nothing else, bound to a version that a password change raises. */
export const auth = fp<Options>(
  async (app, { users, secret, durationMs }) => {
    await app.register(jwt, {
      secret,
      sign: { algorithm: 'HS256', expiresIn: durationMs / 1_000, iss: 'sluice' },
      verify: { algorithms: ['HS256'], allowedIss: 'sluice' },
    });
    app.decorateRequest('owner');

    app.decorate('issueToken', (user: UserRecord) =>
      app.jwt.sign({ sub: user.id, ver: user.tokenVersion } satisfies Claims),
    );

    app.decorate('authenticate', async (request: FastifyRequest) => {
      const claims = await request.jwtVerify<Claims>().catch((error: { code: string }) => {
        throw unauthorized(reasons[error.code] ?? 'this one is not valid', error);
      });
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
