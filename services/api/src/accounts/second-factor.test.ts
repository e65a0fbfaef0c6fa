import { randomBytes } from 'node:crypto';
import { connectStore } from '@sluice/jobs/connect.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import { afterAll, afterEach, expect, inject, it, vi } from 'vitest';
import { codeOf, wrongCodeOf } from '../../../../test/support/authenticator.ts';
import { ownStores } from '../../../../test/support/sluice.ts';
import { createAudit } from '../audit.ts';
import { createCounters } from '../limits/rate.ts';
import { createLogIn } from './log-in.ts';
import { createLoginGuard } from './login-guard.ts';
import { createPasswords } from './passwords.ts';
import { createSecondFactors } from './second-factor.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const stores = ownStores();
const store = connectStore(
  { url: stores.MONGODB_URL as string, timeoutMs: 60_000 },
  'sluice-test',
  'impatient',
);
await store.prepare();
const redisConfig = { url: inject('redisUrl'), prefix: stores.REDIS_PREFIX as string, timeoutMs: 30_000 };
const redis = connectRedis(redisConfig, log, 'impatient');
await new Promise((resolve) => redis.once('ready', resolve));
const passwords = createPasswords(4);
afterAll(async () => {
  redis.disconnect();
  await Promise.all([store.close(), passwords.close()]);
});
afterEach(() => void vi.useRealTimers());

const { users } = store;
const factors = createSecondFactors(users, ['a secret of tests'], log);
const counters = createCounters(redis, redisConfig);
const logIn = createLogIn({
  users,
  passwords,
  factors,
  // Waits so long that none ends amid a test.
  guard: createLoginGuard((name, seconds) => {
    const counter = counters(name, seconds);
    const set = counter.set.bind(counter);
    return Object.assign(counter, { set: (key: string, n: number, wait: number) => set(key, n, 60 * wait) });
  }),
  audit: createAudit(store.audit, 60_000, log),
  log,
});
const request = { ip: '192.0.2.1', id: 'request' } as FastifyRequest;

async function newUser(): Promise<UserRecord> {
  const username = `u${randomBytes(6).toString('hex')}`;
  const passwordHash = await passwords.hash('correct horse', '192.0.2.1');
  return (await users.create({ username, locale: 'en', passwordHash })) as UserRecord;
}

const again = async ({ id }: UserRecord) => (await users.byId(id)) as UserRecord;

/** Confirmed at this time, in seconds since 1970. */
async function withFactor(atSeconds?: number) {
  if (atSeconds) vi.useFakeTimers({ toFake: ['Date'], now: atSeconds * 1_000 });
  const begun = await newUser();
  const { otpauth_url: url, recovery_codes: recovery } = await factors.begin(begun, 'sluice.example');
  expect(await factors.confirm(await again(begun), codeOf(url))).toBe(true);
  const user = await again(begun);
  return { user, url, recovery, use: (code: string) => factors.use(user, code) };
}

/** How a login ends: a name of an error, or nothing. */
const ends = ({ username }: UserRecord, password: string, code?: string) =>
  logIn(request, { username, password, ...(code !== undefined && { code }) }).then(
    () => undefined,
    (error) => error.name as string,
  );

it('makes codes as RFC 6238 does', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 59_000 });
  expect(codeOf('otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')).toBe('287082');
});

it('takes the codes of now, of the one before and of the one after, and of no other time', async () => {
  const { url, use } = await withFactor(1_000_000_000);
  vi.setSystemTime(2_000_000_010_000);
  const codes = [-3, -2, 2, 3].map((further) => codeOf(url, further));
  for (const code of codes) expect(await use(code)).toBe('wrong');
  for (const further of [-1, 0, 1]) expect(await use(codeOf(url, further))).toBe('app');
});

it('takes no code again, and none of a time before one that was used', async () => {
  const { url, use } = await withFactor(1_000_000_000);
  // The one that confirmed it.
  expect(await use(codeOf(url))).toBe('wrong');
  vi.setSystemTime(2_000_000_010_000);
  const [before, now, after] = [-1, 0, 1].map((further) => codeOf(url, further)) as [string, string, string];
  expect(await use(now)).toBe('app');
  for (const code of [now, before]) expect(await use(code)).toBe('wrong');
  expect(await use(after)).toBe('app');
  for (const code of [before, now, after]) expect(await use(code)).toBe('wrong');
});

it('lets one of many in who have the same code at once', async () => {
  const { url, recovery, use } = await withFactor(1_000_000_000);
  vi.setSystemTime(2_000_000_010_000);
  for (const code of [codeOf(url), recovery[3] as string]) {
    const uses = await Promise.all(Array.from({ length: 20 }, () => use(code)));
    expect(uses.filter((each) => each !== 'wrong')).toHaveLength(1);
  }
});

it('reads codes as people type them, and takes nothing that looks like one', async () => {
  const { url, recovery, use } = await withFactor(1_000_000_000);
  vi.setSystemTime(2_000_000_010_000);
  expect(new Set(recovery.map((code) => /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.test(code)))).toEqual(
    new Set([true]),
  );
  expect(new Set(recovery).size).toBe(10);
  for (const code of ['', ' ', '-', '12345', '1234567', 'aaaa-aaaa-aaaa-aaaa', '__proto__', '９'.repeat(6)])
    expect(await use(code)).toBe('wrong');
  const code = codeOf(url);
  expect(await use(` ${code.slice(0, 3)} ${code.slice(3)}`)).toBe('app');
  expect(await use(recovery[0]?.toUpperCase().replaceAll('-', ' ') as string)).toBe('recovery');
  expect(await use(recovery[1]?.replaceAll('-', '') as string)).toBe('recovery');
  expect(await use(recovery[0] as string)).toBe('wrong');
});

it('is off until it is confirmed, and the latest secret is the one', async () => {
  const user = await newUser();
  const [first, second] = [await factors.begin(user, 'a.example'), await factors.begin(user, 'a.example')];
  expect(await ends(user, 'correct horse')).toBeUndefined();
  expect(await factors.use(await again(user), second.recovery_codes[0] as string)).toBe('wrong');
  expect(await factors.confirm(await again(user), codeOf(first.otpauth_url))).toBe(false);
  const before = await again(user);
  const confirmed = await Promise.all(
    Array.from({ length: 5 }, () => factors.confirm(before, codeOf(second.otpauth_url))),
  );
  expect(confirmed.filter(Boolean)).toHaveLength(1);
  await expect(factors.begin(user, 'a.example')).rejects.toMatchObject({ name: 'ResourceConflictError' });
  expect(await ends(user, 'correct horse')).toBe('SecondFactorRequiredError');
});

it('is not told of to anyone without the password', async () => {
  const [plain, { user, url }] = [await newUser(), await withFactor()];
  const next = codeOf(url, 1);
  // Each has four tries, and the limits begin with the fifth.
  for (const one of [plain, user, { ...plain, username: 'nobody-here' }])
    for (const code of [undefined, next, wrongCodeOf(url), 'x'])
      expect(await ends(one, 'wrong horse', code)).toBe('InvalidCredentialsError');
  // Nor was the code used up.
  expect(await factors.use(user, next)).toBe('app');
});

it('counts wrong codes as wrong passwords, and a password without a code as neither', async () => {
  const { user, url, recovery } = await withFactor();
  const wrong = wrongCodeOf(url);
  for (const code of [wrong, wrong, 'x'])
    expect(await ends(user, 'correct horse', code)).toBe('InvalidCredentialsError');
  for (let n = 0; n < 3; n++) expect(await ends(user, 'correct horse')).toBe('SecondFactorRequiredError');
  expect(await ends(user, 'wrong horse')).toBe('InvalidCredentialsError');
  expect(await ends(user, 'correct horse', wrong)).toBe('InvalidCredentialsError');
  // Five were wrong.
  for (const code of [undefined, wrong, recovery[0]])
    expect(await ends(user, 'correct horse', code)).toBe('TooManyRequestsError');
  const { recoveryHashes = [] } = (await again(user)).secondFactor ?? {};
  expect(recoveryHashes).toHaveLength(10);
});

it('seals its secret anew with the first secret of the list when a code is used', async () => {
  const { user, url, use } = await withFactor(1_000_000_000);
  const [changed, later] = [['new', 'a secret of tests'], ['new']].map((keys) =>
    createSecondFactors(users, keys, log),
  ) as [typeof factors, typeof factors];
  vi.setSystemTime(2_000_000_010_000);
  expect(await use(codeOf(url, -1))).toBe('app');
  await expect(later.use(await again(user), codeOf(url))).rejects.toThrow('SECRETS_KEY');
  expect(await changed.use(await again(user), codeOf(url))).toBe('app');
  expect(await later.use(await again(user), codeOf(url, 1))).toBe('app');
});

it('keeps its secret sealed, and takes recovery codes when no secret of the list opens it', async () => {
  const { user, url, recovery } = await withFactor();
  const kept = JSON.stringify((await again(user)).secondFactor);
  expect(kept).not.toContain(new URL(url).searchParams.get('secret'));
  for (const code of recovery) expect(kept).not.toContain(code);
  for (const keys of [undefined, ['another']]) {
    const lost = createSecondFactors(users, keys, log);
    await expect(lost.use(user, codeOf(url))).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    expect(await lost.use(user, recovery.pop() as string)).toBe('recovery');
  }
  const none = createSecondFactors(users, undefined, log);
  await expect(none.begin(await newUser(), 'a.example')).rejects.toThrow('the operator can set SECRETS_KEY');
});
