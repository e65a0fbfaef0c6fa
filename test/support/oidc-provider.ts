import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { type Configuration, Provider } from 'oidc-provider';
import { lowPort } from './low-port.ts';

/** The key of the provider, as it publishes it. */
export interface SigningKey {
  privateKey: KeyObject;
  publicKey: KeyObject;
  kid: string;
}

/** Changes an answer of the provider with tokens. */
export type Tamper = (answer: Record<string, unknown>) => void;

export const clientSecret = 'the secret of Sluice at the provider';

const minutes = 60;

/** Members of `staff`, and how the provider names a login. */
const claimsOf = (login: string) => ({
  sub: `id-of-${login}`,
  preferred_username: login,
  email: 'everyone@sluice.invalid',
  groups: login.startsWith('staff') ? ['staff', 'all'] : ['all'],
});

/** It warns that its pages and its memory are for tests. */
function createQuietly(issuer: string, configuration: Configuration): Provider {
  const { warn } = console;
  console.warn = () => {};
  try {
    return new Provider(issuer, configuration);
  } finally {
    console.warn = warn;
  }
}

/**
 * A certified OpenID provider with a page that takes any login, at another site than Sluice. `env` are the settings of a Sluice that
 * signs in there, at this address or at a port of its own.
 */
export async function startProvider(at?: string) {
  const publicUrl = at ?? `http://127.0.0.1:${await lowPort()}`;
  const key: SigningKey = {
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
    kid: 'signing',
  };
  let handle: ReturnType<Provider['callback']> | undefined;
  let tamper: Tamper | undefined;
  let asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    void handle?.(request, response);
  });
  const port = await lowPort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  await listen();
  const issuer = `http://localhost:${port}`;
  function stop(): void {
    server.close();
    server.closeAllConnections();
  }

  const provider = createQuietly(issuer, {
    clients: [
      {
        client_id: 'sluice',
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/api/session/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/sign-in`],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: () => claimsOf(id.replace(/^id-of-/, '')) }),
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of tests'] },
    ttl: { AccessToken: minutes, IdToken: minutes, Interaction: minutes, Session: minutes, Grant: minutes },
  });
  provider.use(async (context, next) => {
    await next();
    if (context.path === '/token' && context.status === 200)
      tamper?.(context.body as Record<string, unknown>);
  });
  handle = provider.callback();

  return {
    issuer,
    key,
    publicUrl,
    env: {
      PUBLIC_URL: publicUrl,
      PORT: new URL(publicUrl).port,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'sluice',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: 'Example Inc.',
    },
    /** Changes answers with tokens from now on. */
    tamper(next?: Tamper): void {
      tamper = next;
    },
    /** Methods and paths of requests since the last call. */
    takeAsked(): string[] {
      const taken = asked;
      asked = [];
      return taken;
    },
    /** Answers nobody, until `resume`. */
    stop,
    resume: listen,
  };
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;
