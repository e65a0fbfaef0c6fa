import jwt, { type JWT } from '@fastify/jwt';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface Claims {
  sub: string;
  /** The version of the user's tokens. */
  ver: number;
  jti: string;
  /** The session of a browser. Its end ends the token. */
  sid?: string;
  /** Bearer tokens have none, so what has one is something else. */
  aud?: string;
  /** In s since 1970. */
  exp: number;
}

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

/** Signs and verifies tokens, with HS256 only. The first secret signs; all verify. */
export async function createTokens(app: FastifyInstance, { secrets, durationMs }: ApiConfig['jwt']) {
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

  return {
    durationMs,
    /** Ends after JWT_TOKEN_DURATION, or at `end`. */
    sign: (claims: Omit<Claims, 'exp'>, end?: Date): string =>
      current.sign(claims, end && { expiresIn: (end.getTime() - Date.now()) / 1_000 }),
    /** Throws for a token that is not valid, and for one with another audience. */
    verify(token: string, audience?: string): Claims {
      const claims = claimsOf(token, keys);
      if (claims.aud !== audience) throw new Error('the token is for another audience');
      return claims;
    },
    /** The token of the header. Throws without one. */
    lookup: (request: FastifyRequest): string => current.lookupToken(request),
  };
}
