import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sharedSluice, startSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
const me = (token: string, at = sluice) => at.request('GET', '/users/me', { token });

const hmac = (hash: string) => (text: string) =>
  createHmac(hash, sluice.env.JWT_SECRET as string)
    .update(text)
    .digest('base64url');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsa = (text: string) => createSign('sha256').update(text).sign(privateKey, 'base64url');

/** A token as the service makes it, but for what is given. */
function forge(claims: object, alg = 'HS256', signature = hmac('sha256')): string {
  const text = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${signature(text)}`;
}

describe('tokens', () => {
  it('say who issued them, and no two are alike', async () => {
    const { token } = await sluice.owner();
    const { username, token: other } = await sluice.owner();
    const again = await sluice.request('POST', '/users/login', {
      json: { username, password: 'correct horse' },
    });
    const all = [token, other, again.body.data.token].map(claimsOf);
    for (const { iss, ver } of all) expect([iss, ver]).toEqual(['sluice', 1]);
    expect(new Set(all.map(({ jti }) => jti)).size).toBe(3);
  });

  it.each([
    ['unsigned', 'none', () => ''],
    ['unsigned in another spelling', 'nOnE', () => ''],
    ['without a signature', 'HS256', () => ''],
    ['signed with another algorithm', 'HS512', hmac('sha512')],
    ['signed with the secret in place of a public key', 'RS256', hmac('sha256')],
    ['signed with a key of its own', 'RS256', rsa],
    [
      'signed with another secret',
      'HS256',
      (text: string) => createHmac('sha256', 'other').update(text).digest('base64url'),
    ],
  ])('are refused when they are %s', async (_what, alg, signature) => {
    const { token } = await sluice.owner();
    const { status, body } = await me(forge(claimsOf(token), alg, signature));
    expect([status, body.error.name]).toEqual([401, 'UnauthorizedRequestError']);
    expect(body.error.message).toMatch(/bearer token is required/);
  });

  it.each([
    ['another issuer', { iss: 'another' }],
    ['no issuer', { iss: undefined }],
    ['no id', { jti: undefined }],
    ['no version', { ver: undefined }],
    ['another version', { ver: 2 }],
    ['a version that is text', { ver: '1' }],
    ['no user', { sub: undefined }],
    ['no user that there is', { sub: 'f'.repeat(24) }],
    ['a user that is a query', { sub: { $ne: '' } }],
    ['no end', { exp: undefined }],
    ['an end that is text', { exp: 'never' }],
    ['a beginning in the future', { nbf: Math.floor(Date.now() / 1_000) + 600 }],
  ])('are refused with %s', async (_what, changed) => {
    const { token } = await sluice.owner();
    const { status, body } = await me(forge({ ...claimsOf(token), ...changed }));
    expect([status, body.error.name]).toEqual([401, 'UnauthorizedRequestError']);
  });

  it('last as long as JWT_TOKEN_DURATION says, and not a second longer', async () => {
    const { token } = await sluice.owner();
    const claims = claimsOf(token);
    expect(claims.exp - claims.iat).toBe(12 * 3_600);
    const now = Math.floor(Date.now() / 1_000);
    const { status, body } = await me(forge({ ...claims, iat: now - 20, exp: now - 10 }));
    expect([status, body.error.message]).toEqual([401, expect.stringContaining('expired')]);
  });

  it('are taken when they are as they should be, so that the refusals above mean something', async () => {
    const { token } = await sluice.owner();
    expect((await me(forge(claimsOf(token)))).status).toBe(200);
  });
});

it('changes its secret without ending sessions, as long as the old one stays in the list', async () => {
  const secret = randomBytes(32).toString('hex');
  const both = { ...sluice.env, JWT_SECRET: `${secret},${sluice.env.JWT_SECRET}` };
  const [rotating, after] = await Promise.all([
    startSluice({ workers: false, env: both }),
    startSluice({ workers: false, env: { ...sluice.env, JWT_SECRET: secret } }),
  ]);
  try {
    const { token: old } = await sluice.owner();
    const { token: young } = await rotating.owner();
    const statuses = async (token: string) =>
      Promise.all([sluice, rotating, after].map(async (at) => (await me(token, at)).status));
    expect(await statuses(old)).toEqual([200, 200, 401]);
    expect(await statuses(young)).toEqual([401, 200, 200]);
  } finally {
    await Promise.all([rotating.stop(), after.stop()]);
  }
});
