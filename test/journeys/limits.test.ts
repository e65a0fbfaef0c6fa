import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { type Answer, type Sluice, startSluice, until } from '../support/sluice.ts';

const password = 'correct horse';
const newName = () => `u${randomBytes(6).toString('hex')}`;

/** An API without workers that stops when the test ends. */
async function start(env: Record<string, string>): Promise<Sluice> {
  const sluice = await startSluice({ workers: false, env });
  onTestFinished(() => sluice.stop());
  return sluice;
}

/** Two of them on the same stores. */
async function startTwo(env: Record<string, string>): Promise<[Sluice, Sluice]> {
  const first = await start(env);
  return [first, await start(first.env)];
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const register = (sluice: Sluice, address = '192.0.2.1') =>
  sluice.request('POST', '/users/register', {
    json: { username: newName(), password, locale: 'en' },
    ...from(address),
  });

const logIn = (sluice: Sluice, username: string, given: string, address = '192.0.2.1') =>
  sluice.request('POST', '/users/login', { json: { username, password: given }, ...from(address) });

const statusesOf = async (count: number, ask: (i: number) => Promise<Answer>) => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await ask(i)).status);
  return statuses;
};

/** Registers a user from an address of their own. */
async function newUser(sluice: Sluice): Promise<string> {
  const username = newName();
  const json = { username, password, locale: 'en' };
  await sluice.request('POST', '/users/register', { json, ...from([...randomBytes(4)].join('.')) });
  return username;
}

/**
 * What becomes of a user within the shortest wait after wrong passwords, a second from the last call of `anew`, so that
 * none ends meanwhile. Where the machine took longer, it is another user's turn.
 */
async function withinAWait<T>(
  sluice: Sluice,
  scene: (username: string, anew: () => void) => Promise<T>,
): Promise<T> {
  for (;;) {
    const username = await newUser(sluice);
    let began = performance.now();
    const seen = await scene(username, () => {
      began = performance.now();
    });
    if (performance.now() - began < 1_000) return seen;
  }
}

const rateOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));

function expectTooMany(answer: Answer, message: RegExp): void {
  expect([answer.status, answer.body.error.name]).toEqual([429, 'TooManyRequestsError']);
  expect(answer.body.error.message).toMatch(message);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

describe('registrations of one address', () => {
  it('count on all processes together; every answer says how many are left', async () => {
    const [one, other] = await startTwo({ REGISTER_RATE: '4/1h' });
    const first = await register(one);
    expect(first.status).toBe(200);
    const [limit, remaining, reset] = rateOf(first) as [number, number, number];
    expect([limit, remaining]).toEqual([4, 3]);
    expect(reset).toBeGreaterThan(3_590);
    expect(reset).toBeLessThanOrEqual(3_600);
    expect(await statusesOf(3, (i) => register(i % 2 === 0 ? other : one))).toEqual([200, 200, 200]);
    for (const sluice of [one, other]) {
      const refused = await register(sluice);
      expectTooMany(refused, /^too many registrations from this address; wait \d+ s$/);
      expect(rateOf(refused).slice(0, 2)).toEqual([4, 0]);
    }
  });

  it('are as many as come, where that is off', async () => {
    const sluice = await start({ REGISTER_RATE: 'off' });
    const answer = await register(sluice);
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
  });

  it.each([
    ['off', [200, 200, 429, 429], 'nobody is believed'],
    ['uniquelocal', [200, 200, 429, 429], 'the one who asks is not believed'],
    ['1', [200, 200, 200, 200], 'one proxy is believed'],
    ['loopback', [200, 200, 200, 200], 'this machine is believed'],
  ])(
    'TRUST_PROXY=%s: with a new X-Forwarded-For each they get %j, because %s',
    async (TRUST_PROXY, statuses) => {
      const sluice = await start({ REGISTER_RATE: '2/1h', TRUST_PROXY });
      expect(await statusesOf(4, (i) => register(sluice, `192.0.2.${i}`))).toEqual(statuses);
    },
  );

  it('count for what the trusted proxy says, whatever the client said before', async () => {
    const sluice = await start({ REGISTER_RATE: '2/1h', TRUST_PROXY: '1' });
    const statuses = await statusesOf(3, (i) => register(sluice, `198.51.100.${i}, 192.0.2.1`));
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('count for a /64 of IPv6', async () => {
    const sluice = await start({ REGISTER_RATE: '2/1h', TRUST_PROXY: '1' });
    const statuses = await statusesOf(3, (i) => register(sluice, `2001:db8:1:2:${i}::1`));
    expect(statuses).toEqual([200, 200, 429]);
    expect((await register(sluice, '2001:db8:1:3::1')).status).toBe(200);
  });
});

describe('logins of one address', () => {
  it('count whether they are right or wrong', async () => {
    const sluice = await start({ LOGIN_RATE: '3/1m' });
    const { username } = await sluice.owner();
    expect((await logIn(sluice, username, 'wrong')).status).toBe(401);
    const last = await logIn(sluice, username, password);
    expect([last.status, ...rateOf(last).slice(0, 2)]).toEqual([200, 3, 0]);
    expectTooMany(await logIn(sluice, username, password), /^too many logins from this address/);
  });
});

describe('while Redis is away', () => {
  let redis: CuttableProxy;
  let sluice: Sluice;

  beforeAll(async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    sluice = await startSluice({
      workers: false,
      env: {
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        REDIS_TIMEOUT: '1s',
        TRUST_PROXY: '1',
        REGISTER_RATE: '3/1h',
        UPLOAD_RATE: '3/7d',
      },
    });
  });
  afterAll(async () => {
    await sluice.stop();
    await redis.close();
  });

  it('each process limits by itself, and nothing hangs', async () => {
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    await redis.stall();
    const began = Date.now();
    expect(await statusesOf(4, () => register(sluice, '192.0.2.9'))).toEqual([200, 200, 200, 429]);
    const { username, wrongs } = await withinAWait(sluice, async (username) => ({
      username,
      wrongs: await statusesOf(6, () => logIn(sluice, username, 'wrong', '192.0.2.9')),
    }));
    expect(wrongs).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await logIn(sluice, username, password, '192.0.2.10')).status).toBe(200);
    const upload = () => sluice.request('POST', `/applications/${domain}/data`, { json: {} });
    expect(await statusesOf(4, upload)).toEqual([201, 201, 201, 429]);
    expect(Date.now() - began).toBeLessThan(60_000);
    await redis.restore();
  });
});

describe('wrong passwords', () => {
  let one: Sluice;
  let other: Sluice;

  beforeAll(async () => {
    one = await startSluice({ workers: false, env: { TRUST_PROXY: '1' } });
    other = await startSluice({ workers: false, env: one.env });
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
  });

  const wrongFrom = (username: string, address: string, sluice = one) =>
    logIn(sluice, username, 'wrong', address);

  it('make an address wait, twice as long each time, on every process, until the right one comes', async () => {
    const address = '192.0.2.20';
    const fiveWrong = (username: string) =>
      statusesOf(5, (i) => wrongFrom(username, address, i % 2 === 0 ? one : other));
    const first = await withinAWait(one, async (username) => ({
      statuses: await fiveWrong(username),
      refused: await logIn(other, username, password, address),
    }));
    expect(first.statuses).toEqual([401, 401, 401, 401, 401]);
    const { username, refused } = await withinAWait(one, async (username, anew) => {
      await fiveWrong(username);
      await until(async () => {
        anew();
        return (await wrongFrom(username, address)).status === 401;
      });
      return { username, refused: await logIn(other, username, password, address) };
    });
    for (const [seconds, answer] of [
      ['1', first.refused],
      ['2', refused],
    ] as const) {
      expectTooMany(answer, /^too many wrong passwords or codes for this user from this address; wait \d s$/);
      expect(answer.headers.get('retry-after')).toBe(seconds);
    }
    expect((await logIn(one, username, password, '192.0.2.21')).status).toBe(200);
    await until(async () => (await logIn(one, username, password, address)).status === 200);
    expect(await statusesOf(5, () => wrongFrom(username, address))).toEqual([401, 401, 401, 401, 401]);
  });

  it('are no more than five also when they come at once', async () => {
    const answers = await withinAWait(one, (username) =>
      Promise.all(Array.from({ length: 40 }, () => wrongFrom(username, '192.0.2.30'))),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  });

  it('are not what many right ones at once are', async () => {
    const { username } = await one.owner();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => logIn(one, username, password, '192.0.2.31')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('are answered alike for a user who does not exist, and whose name is written otherwise', async () => {
    const answers = async (name: string) => {
      const texts: string[] = [];
      for (let i = 0; i < 6; i++) {
        const written = i % 2 === 0 ? name : name.toUpperCase();
        texts.push((await wrongFrom(written, '192.0.2.40')).text);
      }
      return texts;
    };
    const known = await withinAWait(one, answers);
    expect(known[5]).toContain('TooManyRequestsError');
    expect(await withinAWait(one, () => answers(newName()))).toEqual(known);
  });

  it('from many addresses close new ones, not one that the owner has logged in from', async () => {
    const { username } = await one.owner();
    expect((await logIn(one, username, password, '192.0.2.50')).status).toBe(200);
    const statuses = await statusesOf(102, (i) => wrongFrom(username, `198.51.100.${i % 26}`));
    expect(statuses.indexOf(429)).toBe(100);
    const refused = await logIn(other, username, password, '203.0.113.1');
    expectTooMany(
      refused,
      /^too many wrong passwords or codes for this user from many addresses; wait \d+ s$/,
    );
    expect((await logIn(other, username, password, '192.0.2.50')).status).toBe(200);
    expect((await one.owner()).token).toEqual(expect.any(String));
  });

  it('count when the old password is wrong at a change, too', async () => {
    const statuses = await withinAWait(one, async (username) => {
      const { token } = (await logIn(one, username, password)).body.data;
      const json = { old_password: 'wrong', new_password: 'better horse' };
      return statusesOf(6, () => one.request('PUT', '/users/me/password', { token, json }));
    });
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('uploads to one application', () => {
  const ndjson = { 'content-type': 'application/x-ndjson' };

  it('count on all processes together, lines of batches too, and are refused as a whole', async () => {
    const [one, other] = await startTwo({ UPLOAD_RATE: '1000/7d' });
    const { token } = await one.owner();
    const domain = await one.application(token);
    const path = `/applications/${domain}/data`;
    const upload = (sluice: Sluice) => sluice.request('POST', path, { json: {} });
    const batch = (sluice: Sluice, lines: number) =>
      sluice.request('POST', `${path}/batch`, { body: '{}\n'.repeat(lines), headers: ndjson });

    const first = await upload(one);
    expect([first.status, ...rateOf(first).slice(0, 2)]).toEqual([201, 1000, 999]);
    const fits = await batch(one, 989);
    expect([fits.status, ...rateOf(fits).slice(0, 2)]).toEqual([201, 1000, 10]);
    expectTooMany(
      await batch(one, 11),
      /^rate limit reached: 1,000 entries per 7 days for this application; retry in \d+ s; nothing was stored$/,
    );
    const never = await batch(one, 1001);
    expect([never.status, never.headers.get('retry-after')]).toEqual([429, null]);
    expect(never.body.error.message).toBe(
      'the batch has 1,001 lines; the limit is 1,000 entries per 7 days: send smaller batches; nothing was stored',
    );
    // The other learns of those 990 in the background, long before it has taken as many itself.
    let taken = 0;
    await until(async () => {
      const { status } = await upload(other);
      if (status === 201) taken += 1;
      return status === 429;
    });
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(900);
    const { body } = await one.request('GET', `${path}?limit=1`, { token });
    expect(body.data.pagination.total).toBe(990 + taken);

    const second = await one.application(token);
    expect((await one.request('POST', `/applications/${second}/data`, { json: {} })).status).toBe(201);
  });

  it('are taken again in the next window', async () => {
    const sluice = await start({ UPLOAD_RATE: '2/1s' });
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const upload = async () =>
      (await sluice.request('POST', `/applications/${domain}/data`, { json: {} })).status;
    await until(async () => (await upload()) === 429);
    await until(async () => (await upload()) === 201);
  });

  it('count what is only tried too', async () => {
    const sluice = await start({ UPLOAD_RATE: '3/7d' });
    const { token } = await sluice.owner();
    const at = `/applications/${await sluice.application(token)}/data`;
    const tried = await sluice.request('POST', `${at}/validate`, { body: '[{},{}]' });
    expect([tried.status, tried.headers.get('ratelimit-remaining')]).toEqual([200, '1']);
    expectTooMany(
      await sluice.request('POST', `${at}/validate`, { body: '[{},{}]' }),
      /limit reached: 3 entries/,
    );
    expect((await sluice.request('POST', at, { json: {} })).status).toBe(201);
    expectTooMany(await sluice.request('POST', `${at}/validate`, { body: '{}' }), /limit reached: 3 entries/);
  });

  it('have no limit, and say nothing of one, unless it is set', async () => {
    const sluice = await start({});
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const answer = await sluice.request('POST', `/applications/${domain}/data`, { json: {} });
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([201, null]);
  });
});

describe('quotas of an owner', () => {
  it('APPLICATION_QUOTA: one more is refused until one is deleted', async () => {
    const sluice = await start({ APPLICATION_QUOTA: '2' });
    const { token } = await sluice.owner();
    const json = { name: 'Test', type: 'other', schema: '{"type":"object"}' };
    const create = () => sluice.request('POST', '/applications', { token, json });
    const { domain } = (await create()).body.data;
    expect((await create()).status).toBe(200);
    expectTooMany(
      await create(),
      /^you have reached your limit of 2 applications; delete one, .* APPLICATION_QUOTA; nothing was stored$/,
    );
    expect((await sluice.owner()).token).toEqual(expect.any(String));
    await sluice.request('DELETE', `/applications/${domain}`, { token });
    expect((await create()).status).toBe(200);
  });

  it('JOB_QUOTA: exports and imports count together until they are finished', async () => {
    const sluice = await start({ JOB_QUOTA: '2' });
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const path = `/applications/${domain}`;
    const makeExport = () => sluice.request('POST', `${path}/exports`, { token, json: {} });
    const makeImport = () => sluice.request('POST', `${path}/imports`, { token, body: '[{}]' });
    const { status, body } = await makeExport();
    expect([status, (await makeImport()).status]).toEqual([202, 202]);
    for (const refused of [
      await makeExport(),
      await makeImport(),
      await sluice.request('GET', `${path}/export`, { token }),
    ]) {
      expectTooMany(refused, /^you have reached your limit of 2 unfinished jobs; .*delete one/);
    }
    await sluice.request('DELETE', `${path}/exports/${body.data.id}`, { token });
    expect((await makeImport()).status).toBe(202);
  });
});

it('the limits are in the description of the API', async () => {
  const sluice = await start({ UPLOAD_RATE: '10/1m' });
  const { paths, components } = JSON.parse((await sluice.request('GET', '/openapi.json')).text);
  const headersOf = ({ $ref = '', headers }: { $ref?: string; headers?: object }) =>
    Object.keys(headers ?? components.responses[$ref.split('/').at(-1) as string].headers);
  const rate = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  const ofBatch = ['Sluice-Schema-Version', 'Sluice-Schema-Change'];
  for (const [path, answer, own] of [
    ['users/register', '200', []],
    ['users/login', '200', []],
    ['applications/{domain}/data', '201', ['Entry-Id']],
    ['applications/{domain}/data/batch', '207', ofBatch],
    ['applications/{domain}/data/validate', '200', []],
  ] as [string, string, string[]][]) {
    const { responses } = paths[`/api/${path}`].post;
    expect(headersOf(responses[answer])).toEqual([...own, ...rate]);
    expect(headersOf(responses['429'])).toEqual([...rate, 'Retry-After']);
  }
  expect(headersOf(paths['/api/applications'].post.responses['429'])).toEqual(['Retry-After']);
});
