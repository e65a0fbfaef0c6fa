import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Identity } from '@sluice/store/accounts/user-document.ts';
import * as oidc from 'openid-client';
import { type FailureReason, SignInFailure } from './sign-in-failure.ts';

/** What ties the answer of the provider to one sign-in. */
export interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who signs in, as the provider says. */
export interface Person {
  identity: Identity;
  name: string | undefined;
  groups: string[];
}

export const newChecks = (): SignInChecks => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
});

const clockToleranceSeconds = 30;

const unanswered: unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

function reasonOf(error: unknown): FailureReason {
  if (error instanceof oidc.AuthorizationResponseError) return 'denied';
  const isAway = error instanceof TypeError || unanswered.includes((error as { code?: unknown }).code);
  return isAway ? 'unavailable' : 'invalid';
}

const textOf = (claim: unknown) => (typeof claim === 'string' ? claim : undefined);

interface Failure extends Error {
  code?: string;
  /** What the provider calls it. */
  error?: string;
  cause?: { message?: string };
}

export type Provider = ReturnType<typeof createProvider>;

/** The OpenID provider of the settings. Its functions throw SignInFailure. */
export function createProvider(
  { issuer, clientId, clientSecret, groups }: NonNullable<ApiConfig['oidc']>,
  { publicUrl, log, waitMs }: { publicUrl: string; log: Logger; waitMs: number },
) {
  const redirectUri = `${publicUrl}/api/session/oidc/callback`;
  let discovered: Promise<oidc.Configuration> | undefined;

  /** The log gets no more of an error than its texts: the causes of causes have tokens. */
  function fail(error: unknown): never {
    const reason = reasonOf(error);
    const { code, error: answer, message, cause } = error as Failure;
    log.warn({ event: 'sign-in.failed', reason, code, answer, detail: cause?.message }, message);
    throw new SignInFailure(reason);
  }

  /** Read once. After a failure the next sign-in tries again. */
  async function configuration(): Promise<oidc.Configuration> {
    discovered ??= oidc.discovery(
      new URL(issuer),
      clientId,
      { [oidc.clockTolerance]: clockToleranceSeconds },
      oidc.ClientSecretBasic(clientSecret),
      {
        // Without these checks nobody looks at the signature of a token that comes from the provider itself.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
        ],
        timeout: waitMs / 1_000,
      },
    );
    try {
      return await discovered;
    } catch (error) {
      discovered = undefined;
      return fail(error);
    }
  }

  return {
    /** Where the browser goes to sign in. `anew`: also if it is signed in there. */
    async begin({ state, nonce, verifier }: SignInChecks, anew: boolean): Promise<string> {
      const found = await configuration();
      const hasGroups = groups && found.serverMetadata().scopes_supported?.includes('groups');
      const url = oidc.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: hasGroups ? 'openid profile groups' : 'openid profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(anew && { max_age: '0' }),
      });
      return url.href;
    },

    /** Who came back from the provider, with these parameters. */
    async identify(parameters: URLSearchParams, { state, nonce, verifier }: SignInChecks): Promise<Person> {
      const found = await configuration();
      try {
        const tokens = await oidc.authorizationCodeGrant(found, new URL(`${redirectUri}?${parameters}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims() as oidc.IDToken;
        const more = found.serverMetadata().userinfo_endpoint
          ? await oidc.fetchUserInfo(found, tokens.access_token, claims.sub)
          : {};
        const said: oidc.UserInfoResponse = { ...more, ...claims };
        return {
          identity: { issuer: claims.iss, subject: claims.sub },
          name: textOf(said.preferred_username) ?? textOf(said.name),
          groups: [said.groups].flat().filter((group) => typeof group === 'string'),
        };
      } catch (error) {
        return fail(error);
      }
    },

    /** Where the browser goes to sign out there too. Undefined if the provider has no such page, or does not answer. */
    async signOutUrl(): Promise<string | undefined> {
      const found = await configuration().catch(() => undefined);
      if (!found?.serverMetadata().end_session_endpoint) return undefined;
      return oidc.buildEndSessionUrl(found, { post_logout_redirect_uri: `${publicUrl}/sign-in` }).href;
    },
  };
}
