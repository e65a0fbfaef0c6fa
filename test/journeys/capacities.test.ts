import { createCapacities } from '@sluice/api/limits/capacity.ts';
import { type CapacityName, capacities, sharePerClient } from '@sluice/api/limits/table.ts';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

const capacity = createCapacities();
let sluice: Sluice;
let username: string;
let token: string;
let domain: string;
let path: string;
let job: string;

/** Whose requests are the ones below. */
async function clientOf(kind: 'address' | 'owner'): Promise<string> {
  if (kind === 'address') return '127.0.0.1';
  return (await storeOf(sluice).users.byName(username))?.id as string;
}

beforeAll(async () => {
  sluice = await startSluice({ capacity });
  ({ username, token } = await sluice.owner());
  domain = await sluice.application(token);
  path = `/applications/${domain}`;
  const { body } = await sluice.request('POST', `${path}/exports`, { token, json: {} });
  job = `${path}/exports/${body.data.id}`;
  const state = async () => (await sluice.request('GET', job, { token })).body.data.state;
  await until(async () => (await state()) === 'completed');
});
afterAll(() => sluice.stop());

const ask = (method: string, where: string, options: Parameters<Sluice['request']>[2] = {}) =>
  sluice.request(method, where, { token, ...options });
const schema = '{"type":"object"}';

const listPage = () => ask('GET', `${path}/data`);

/** Requests that need some of a capacity. */
const requests: [capacity: CapacityName, what: string, request: () => Promise<Answer>][] = [
  ['uploads', 'an upload', () => ask('POST', `${path}/data`, { json: {} })],
  ['largeUploads', 'a large upload', () => ask('POST', `${path}/data`, { body: `{}${' '.repeat(300_000)}` })],
  ['batches', 'a batch', () => ask('POST', `${path}/data/batch`, { body: '[{}]' })],
  ['imports', 'an import', () => ask('POST', `${path}/imports`, { body: '[{}]' })],
  [
    'schemas',
    'a schema',
    () => ask('POST', '/applications', { json: { name: 'Test', type: 'other', schema } }),
  ],
  [
    'passwords',
    'a login',
    () => ask('POST', '/users/login', { json: { username, password: 'correct horse' } }),
  ],
  ['answers', 'a page of entries', listPage],
  ['answers', 'a page of refused uploads', () => ask('GET', `${path}/refused`)],
  ['answers', 'a list of applications', () => ask('GET', '/applications')],
  ['answers', 'a list of schemas', () => ask('GET', `${path}/schemas`)],
  ['answers', 'a file', () => ask('GET', `${job}/file`)],
  ['answers', 'a streamed export', () => ask('GET', `${path}/export`)],
  ['followers', 'the progress of a job', () => ask('GET', `${job}/events`)],
];

function expectRefusal({ status, headers, body }: Answer, expected: 429 | 503): void {
  const name = expected === 429 ? 'TooManyRequestsError' : 'ServiceUnavailableError';
  expect([status, body.error?.name]).toEqual([expected, name]);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/** Does something while clients have so much in hand. */
async function whileTaken<T>(
  name: CapacityName,
  taken: [string, number][],
  work: () => Promise<T>,
): Promise<T> {
  for (const [client, amount] of taken) capacity[name].take(client, amount);
  try {
    return await work();
  } finally {
    for (const [client, amount] of taken) capacity[name].free(client, amount);
  }
}

it.each(requests)(
  '%s, %s: a client whose share is used up is answered 429, others 503 where the process is full, and all are served before and after',
  async (name, _what, request) => {
    const { limit, client } = capacities[name];
    const share = sharePerClient * limit;
    expect((await request()).status).toBeLessThan(300);
    expectRefusal(await whileTaken(name, [[await clientOf(client), share]], request), 429);
    const full: [string, number][] = [
      ['one', share],
      ['other', limit - share],
    ];
    expectRefusal(await whileTaken(name, full, request), 503);
    expect((await request()).status).toBeLessThan(300);
  },
);

it('a large page is refused in the middle, when it turns out that there is no room for it', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(900_000) });
  expect((await ask('POST', `${path}/data`, { body })).status).toBe(201);
  const { limit } = capacities.answers;
  const left = limit - 512 * 1024;
  expectRefusal(
    await whileTaken('answers', [[await clientOf('owner'), sharePerClient * limit - 512 * 1024]], listPage),
    429,
  );
  expectRefusal(
    await whileTaken(
      'answers',
      [
        ['one', left / 2],
        ['other', left / 2],
      ],
      listPage,
    ),
    503,
  );
  expect((await listPage()).status).toBe(200);
});

it.each([
  [429, 'itself'],
  [503, 'others'],
] as const)(
  'pageReads: a client that waited too long is answered %i where pages are read for %s',
  async (status, whose) => {
    const client = whose === 'itself' ? await clientOf('owner') : 'other';
    const { pageReads } = createCapacities({
      ...capacities,
      pageReads: { ...capacities.pageReads, waitMs: 0 },
    });
    let isWaiting = false;
    const hasty = await startSluice({
      workers: false,
      env: sluice.env,
      capacity: {
        ...createCapacities(),
        pageReads: {
          ...pageReads,
          runInFairOrder(...all) {
            isWaiting = true;
            return pageReads.runInFairOrder(...all);
          },
        },
      },
    });
    onTestFinished(() => hasty.stop());
    pageReads.take(client, capacities.pageReads.limit);
    const answer = hasty.request('GET', `${path}/data`, { token });
    await until(async () => isWaiting);
    pageReads.free(client, 1);
    expectRefusal(await answer, status);
  },
);
