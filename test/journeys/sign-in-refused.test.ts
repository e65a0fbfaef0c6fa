import { generateKeyPairSync } from 'node:crypto';
import { seal, unseal } from '@sluice/shared/seal.ts';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readToken, writeToken } from '../support/id-token.ts';
import { createBrowser, type OidcBrowser } from '../support/oidc-browser.ts';
import { clientSecret, startProvider, type Tamper } from '../support/oidc-provider.ts';
import { startSluice, storeOf } from '../support/sluice.ts';

const provider = await startProvider();
const sluice = await startSluice({ workers: false, env: provider.env });
afterAll(async () => {
  await sluice.stop();
  provider.stop();
});
afterEach(() => provider.tamper());

const { publicUrl, key } = provider;
const jwtSecret = sluice.env.JWT_SECRET as string;
const cookieName = 'sluice_sign_in';

/** A browser that is back from the provider, and the address to which that leads it. */
async function back(login: string, browser = createBrowser(provider)) {
  return { browser, url: await browser.signInThere(await browser.begin(), login) };
}

const failed = (reason: string) => `${publicUrl}/sign-in?failed=${reason}`;

/** Comes back in vain: nobody is signed in, and there is no new user. */
async function expectRefused(browser: OidcBrowser, url: string, reason: string): Promise<void> {
  const { users } = storeOf(sluice);
  const before = await users.list();
  const answer = await browser.comeBack(url);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, failed(reason)]);
  expect(answer.headers.getSetCookie().filter((set) => set.startsWith('sluice_session='))).toEqual([]);
  expect(await browser.token()).toBeUndefined();
  expect(await users.list()).toEqual(before);
}

/** Signs in with an ID token that is made of the right one. */
const remade =
  (make: (header: Record<string, unknown>, claims: Record<string, unknown>) => string): Tamper =>
  (answer) => {
    const { header, claims } = readToken(answer.id_token as string);
    answer.id_token = make(header, claims);
  };

/** With these claims, and the signature of the provider. */
const withClaims = (changed: Record<string, unknown>): Tamper =>
  remade((header, claims) => writeToken(header, { ...claims, ...changed }, key.privateKey));

const now = () => Math.floor(Date.now() / 1_000);
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

describe('an ID token', () => {
  it('that the provider signs lets in, also here where tests sign it', async () => {
    provider.tamper(withClaims({}));
    const { browser, url } = await back('ada');
    expect((await browser.comeBack(url)).headers.get('location')).toBe(`${publicUrl}/`);
    expect(await browser.token()).toBeDefined();
  });

  it.each<[string, Tamper]>([
    ['of another issuer', withClaims({ iss: 'https://evil.example' })],
    ['without an issuer', withClaims({ iss: undefined })],
    ['with another nonce', withClaims({ nonce: 'another' })],
    ['without a nonce', withClaims({ nonce: undefined })],
    ['for another client', withClaims({ aud: 'another' })],
    ['for several clients, given to another one', withClaims({ aud: ['sluice', 'another'], azp: 'another' })],
    ['without an audience', withClaims({ aud: undefined })],
    ['that expired', withClaims({ exp: now() - 600 })],
    ['that never expires', withClaims({ exp: undefined })],
    ['that is not valid yet', withClaims({ nbf: now() + 3_600 })],
    ['without a time of issue', withClaims({ iat: undefined })],
    ['without a subject', withClaims({ sub: undefined })],
    ['with another subject than the profile', withClaims({ sub: 'id-of-ada' })],
    ['with the algorithm none', remade((header, claims) => writeToken({ ...header, alg: 'none' }, claims))],
    ['without a signature', remade((header, claims) => writeToken(header, claims))],
    [
      "signed with the client's secret",
      remade((header, claims) => writeToken({ ...header, alg: 'HS256' }, claims, clientSecret)),
    ],
    [
      'signed with the public key as a secret',
      remade((header, claims) => {
        const pem = key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
        return writeToken({ ...header, alg: 'HS256' }, claims, pem);
      }),
    ],
    ['signed with another key', remade((header, claims) => writeToken(header, claims, otherKey))],
    [
      'signed with a key that the provider does not have',
      remade((header, claims) => writeToken({ ...header, kid: 'unknown' }, claims, otherKey)),
    ],
    [
      'changed after it was signed',
      (answer) => {
        const [header, , signature] = (answer.id_token as string).split('.');
        const { claims } = readToken(answer.id_token as string);
        const [, changed] = writeToken({}, { ...claims, preferred_username: 'ada' }).split('.');
        answer.id_token = [header, changed, signature].join('.');
      },
    ],
    [
      'that is none',
      (answer) => {
        answer.id_token = 'none';
      },
    ],
    [
      'that is missing',
      (answer) => {
        delete answer.id_token;
      },
    ],
  ])('%s lets nobody in', async (_what, tamper) => {
    provider.tamper(tamper);
    const { browser, url } = await back('mallory');
    await expectRefused(browser, url, 'invalid');
  });
});

/** The address with other parameters; undefined leaves one out. */
function changed(url: string, parameters: Record<string, string | undefined>): string {
  const { searchParams, href } = new URL(url);
  for (const [name, value] of Object.entries(parameters))
    if (value === undefined) searchParams.delete(name);
    else searchParams.set(name, value);
  return `${href.split('?')[0]}?${searchParams}`;
}

describe('an answer of the provider', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['with another state', { state: 'another' }, 'expired'],
    ['without a state', { state: undefined }, 'expired'],
    ['of another provider (mix-up)', { iss: 'https://evil.example' }, 'invalid'],
    ['that does not name the provider', { iss: undefined }, 'invalid'],
    ['with another code', { code: 'another' }, 'invalid'],
    ['without a code', { code: undefined }, 'invalid'],
    ['with a token beside the code', { id_token: 'a.b.c' }, 'invalid'],
    ['as a JWT', { response: 'a.b.c' }, 'invalid'],
    ['that says no', { code: undefined, error: 'access_denied' }, 'denied'],
  ])('%s lets nobody in', async (_what, parameters, reason) => {
    const { browser, url } = await back('mallory');
    await expectRefused(browser, changed(url, parameters), reason);
  });

  it('with two states lets nobody in', async () => {
    const { browser, url } = await back('mallory');
    await expectRefused(browser, `${url}&state=another`, 'expired');
  });

  it('counts once, also with its cookie', async () => {
    const { browser, url } = await back('ada');
    const cookie = browser.cookies.get(cookieName) as string;
    expect((await browser.comeBack(url)).headers.get('location')).toBe(`${publicUrl}/`);
    expect(browser.cookies.get(cookieName)).toBeUndefined();
    const thief = createBrowser(provider);
    await expectRefused(thief, url, 'expired');
    thief.cookies.set(cookieName, cookie);
    await expectRefused(thief, url, 'expired');
  });

  it('counts once of twenty at the same time', async () => {
    const { browser, url } = await back('ada');
    const cookie = browser.cookies.get(cookieName) as string;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => {
        const tab = createBrowser(provider);
        tab.cookies.set(cookieName, cookie);
        return tab.comeBack(url);
      }),
    );
    const ends = answers.map(({ headers }) => headers.get('location'));
    expect(ends.filter((end) => end === `${publicUrl}/`)).toHaveLength(1);
    expect(ends.filter((end) => end === failed('expired'))).toHaveLength(19);
  });

  it('with a code that was used counts in no other sign-in', async () => {
    const { browser, url } = await back('ada');
    await browser.comeBack(url);
    const code = new URL(url).searchParams.get('code') as string;
    const next = await back('mallory');
    await expectRefused(next.browser, changed(next.url, { code }), 'invalid');
  });

  it('with a code of another browser counts in no other sign-in', async () => {
    const [victim, thief] = [await back('ada'), await back('mallory')];
    const code = new URL(victim.url).searchParams.get('code') as string;
    await expectRefused(thief.browser, changed(thief.url, { code }), 'invalid');
  });
});

describe('the cookie of a sign-in', () => {
  const over = (cookie: string) => {
    const flow = JSON.parse(unseal([jwtSecret], cookie));
    return seal([jwtSecret], JSON.stringify({ ...flow, until: Date.now() - 1 }));
  };
  it.each<[string, (cookie: string) => string | undefined | Promise<string | undefined>]>([
    ['is missing', () => undefined],
    ['is empty', () => ''],
    ['is shortened', (cookie) => cookie.slice(0, -4)],
    ['is changed', (cookie) => `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`],
    ['has another secret', (cookie) => seal(['another secret'], unseal([jwtSecret], cookie))],
    ['is not sealed', (cookie) => Buffer.from(unseal([jwtSecret], cookie)).toString('base64url')],
    ['is over', over],
    ['is of another browser', async () => (await back('mallory')).browser.cookies.get(cookieName)],
  ])('lets nobody in if it %s', async (_what, change) => {
    const { browser, url } = await back('mallory');
    const cookie = await change(browser.cookies.get(cookieName) as string);
    if (cookie === undefined) browser.cookies.delete(cookieName);
    else browser.cookies.set(cookieName, cookie);
    await expectRefused(browser, url, 'expired');
  });

  it('is for its own routes, for 10 minutes, and no script or other site gets it', async () => {
    const answer = await fetch(`${publicUrl}/api/session/oidc`, { redirect: 'manual' });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^sluice_sign_in=[\w.-]+; Max-Age=600; Path=\/api\/session\/oidc; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('tells nothing', async () => {
    const { browser, url } = await back('ada');
    const cookie = browser.cookies.get(cookieName) as string;
    const state = new URL(url).searchParams.get('state') as string;
    expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain(state);
  });
});

describe('a path to return to', () => {
  const begin = (path: string) =>
    sluice.request('GET', `/session/oidc?return_to=${encodeURIComponent(path)}`);

  it.each([
    'https://evil.example',
    'https:evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    ' //evil.example',
  ])('is not %j', async (path) => {
    const { status, body } = await begin(path);
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
  });

  it.each([
    '/applications',
    '/@evil.example',
    '/.evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/..//evil.example',
    '/%2f%2fevil.example',
    '/a?b=https://evil.example#c',
    '/:80/evil.example',
    '/ü',
  ])('%j stays here', async (path) => {
    const browser = createBrowser(provider);
    const there = await browser.begin(`?return_to=${encodeURIComponent(path)}`);
    const answer = await browser.comeBack(await browser.signInThere(there, 'ada'));
    expect(new URL(answer.headers.get('location') as string).origin).toBe(publicUrl);
  });

  it('is at PUBLIC_URL, whatever host the request names', async () => {
    const { browser, url } = await back('ada');
    const cookie = `${cookieName}=${browser.cookies.get(cookieName)}`;
    const headers = { cookie, 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const answer = await fetch(url, { headers, redirect: 'manual' });
    expect(answer.headers.get('location')).toBe(`${publicUrl}/`);
  });
});

describe('what wants no page', () => {
  it('gets the failure as JSON, and no other methods', async () => {
    const path = '/session/oidc/callback';
    const { status, body } = await sluice.request('GET', `${path}?state=a&code=b`);
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    for (const where of [path, '/session/oidc'])
      expect((await sluice.request('HEAD', where)).status).toBe(405);
  });
});
