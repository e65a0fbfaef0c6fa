import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from '@sluice/json/parse-json.ts';
import { seal, unseal } from '@sluice/shared/seal.ts';
import { cookieIn } from '../session-cookie.ts';
import type { SignInChecks } from './provider.ts';

const name = 'sluice_sign_in';
const lifeSeconds = 600;

/** A session that was open in the browser when a sign-in began. */
export interface FormerSession {
  user: string;
  id: string;
  /** Of the user's tokens. */
  version: number;
}

/** A sign-in between its beginning and the answer of the provider. */
export interface Flow extends SignInChecks {
  /** The path of this origin to open in the end. */
  returnTo: string;
  session?: FormerSession | undefined;
  /** Whether the user of the session gets another way to sign in. */
  isLink: boolean;
  /** In ms since 1970. */
  until: number;
}

export const newFlow = (parts: Omit<Flow, 'until'>): Flow => ({
  ...parts,
  until: Date.now() + lifeSeconds * 1_000,
});

/**
 * The cookie that ties a sign-in to a browser, encrypted with JWT_SECRET. `Lax`: the browser must send it when the provider
 * leads back, which is another site.
 */
export function flowCookies(secrets: string[], isSecure: boolean) {
  const attributes = `Path=/api/session/oidc; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    of: (flow: Flow) =>
      `${name}=${seal(secrets, JSON.stringify(flow))}; Max-Age=${lifeSeconds}; ${attributes}`,
    cleared: `${name}=; Max-Age=0; ${attributes}`,
    /** Undefined for a cookie that is not of ours, or is over. */
    read(headers: IncomingHttpHeaders): Flow | undefined {
      try {
        const flow = parseJson(unseal(secrets, cookieIn(headers, name) ?? '')) as Flow;
        return flow.until > Date.now() ? flow : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
