import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import jwt, { type JWT } from '@fastify/jwt';
import { ApiError } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { AppDependencies } from '../dependencies.ts';
import { keyMark } from '../keys/keyring.ts';

interface Claims {
  sub: string;
  /** The version of the user's tokens. */
  ver: number;
  jti: string;
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
  FAST_JWT_EXPIRED: 'this one has expired, log in again',
};

const noKey = 'an ingest key can upload but not read; log in and use the token';

const isIngestKey = ({ authorization, 'x-api-key': key }: IncomingHttpHeaders) =>
  authorization === undefined ? key !== undefined : authorization.split(' ').at(-1)?.startsWith(keyMark);

const issuer = 'sluice';

/** Tries each secret. Throws the error of the secret that signed the token, or else of the last one. */
function claimsOf(token: string, [key, ...others]: JWT[]): Claims {
  try {
    return (key as JWT).verify<Claims>(token);
  } catch (error) {
    const isOfAnother = (error as { code?: string }).code === 'FAST_JWT_INVALID_SIGNATURE';
    if (!isOfAnother || others.length === 0) throw error;
    return claimsOf(token, others);
  }
}

/** Tokens use HS256 only. A password change raises the version, which ends earlier tokens. */
export async function auth(
  app: FastifyInstance,
  { store: { users }, config }: Pick<AppDependencies, 'store' | 'config'>,
): Promise<void> {
  // The first secret signs; all verify.
  const { secrets, durationMs } = config.jwt;
  for (const [place, secret] of secrets.entries()) {
    await app.register(jwt, {
      namespace: `secret${place}`,
      secret,
      sign: { algorithm: 'HS256', expiresIn: durationMs / 1_000, iss: issuer },
      // An absent claim would pass, so each is required.
      verify: {
        algorithms: ['HS256'],
        allowedIss: issuer,
        requiredClaims: ['iss', 'sub', 'ver', 'jti', 'exp'],
      },
    });
  }
  const byName = app.jwt as unknown as Record<string, JWT>;
  const keys = secrets.map((_, place) => byName[`secret${place}`] as JWT);
  const current = keys[0] as JWT;
  app.decorateRequest('owner');

  app.decorate('issueToken', (user: UserRecord) =>
    current.sign({ sub: user.id, ver: user.tokenVersion, jti: randomUUID() } satisfies Claims),
  );

  function verify(request: FastifyRequest): Claims {
    try {
      return claimsOf(current.lookupToken(request), keys);
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const reason = isIngestKey(request.headers) ? noKey : reasons[code];
      throw unauthorized(reason ?? 'this one is not valid', error);
    }
  }

  app.decorate('authenticate', async (request: FastifyRequest) => {
    const claims = verify(request);
    const user = /^[0-9a-f]{24}$/.test(String(claims.sub)) ? await users.byId(claims.sub) : undefined;
    if (!user || user.tokenVersion !== claims.ver)
      throw unauthorized('this one is no longer valid, log in again');
    request.owner = user;
  });
}

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
