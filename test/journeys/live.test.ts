import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { follow } from '../support/live-client.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { sharedSluice, startSluice, storeOf, until, untilTaken } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

/** An application, and what may be done with it. */
async function start() {
  const domain = await sluice.application(token, celsiusSchema);
  const { upload, batch } = uploadClient(sluice, token);
  const path = `/applications/${domain}`;
  return {
    domain,
    path,
    store: async (celsius: number) =>
      expect((await upload(domain, JSON.stringify({ celsius }))).status).toBe(201),
    batch: (text: string) => batch(domain, text),
    follow: (more: { refused?: boolean; lastEventId?: string | undefined } = {}) =>
      follow(sluice.url, { token, domain, ...more }),
    async list() {
      const { body } = await sluice.request('GET', `${path}/data`, { token });
      return body.data.result.toReversed();
    },
    refusals: refusedClient(sluice, token, domain),
  };
}

const celsiusOf = (entries: { payload: { celsius: number } }[]) =>
  entries.map(({ payload: { celsius } }) => celsius);

it('a follower gets each entry that comes, as the list has it, and none of before', async () => {
  const { path, store, follow, list } = await start();
  await store(1);
  // One that was stored a moment ago may come too.
  await until(async () => {
    const { body } = await sluice.request('GET', `${path}/data?order=oldest`, { token });
    return body.data.result.length === 1;
  });
  const [one, other] = [await follow(), await follow()];
  expect(one.headers.get('content-type')).toBe('text/event-stream');
  for (const celsius of [2, 3, 4]) await store(celsius);
  await until(async () => one.entries().length >= 3 && other.entries().length >= 3);
  expect(one.entries()).toEqual((await list()).slice(1));
  expect(other.entries()).toEqual(one.entries());
  expect(one.events.filter(({ event }) => event === 'ping').map(({ data }) => data)).toEqual([{}]);
});

it('an entry has its version of the schema once there are several, as in lists', async () => {
  const { path, store, follow, list } = await start();
  const following = await follow();
  const json = { schema: { type: 'object', properties: { celsius: { type: 'number' } } } };
  expect((await sluice.request('POST', `${path}/schemas`, { token, json })).status).toBe(200);
  await until(async () => {
    await store(1);
    return (await list()).at(-1).schema_version === 2;
  });
  await until(async () => following.entries().at(-1)?.schema_version === 2);
});

it('whoever comes back with the id of an event gets what came after it', async () => {
  const { store, follow } = await start();
  const first = await follow();
  for (const celsius of [1, 2, 3]) await store(celsius);
  await until(async () => first.entries().length >= 3);
  first.leave();
  for (const celsius of [4, 5]) await store(celsius);
  const idOf = (celsius: number) => first.events.find(({ data }) => data.payload?.celsius === celsius)?.id;
  for (const [celsius, left] of [
    [1, [2, 3, 4, 5]],
    [3, [4, 5]],
  ] as const) {
    const next = await follow({ lastEventId: idOf(celsius) });
    await until(async () => next.entries().length >= left.length);
    expect(celsiusOf(next.entries())).toEqual(left);
  }
});

it('whoever comes back gets a ping first, whether there is something new or not', async () => {
  const { store, follow } = await start();
  const first = await follow();
  await store(1);
  await until(async () => first.entries().length === 1);
  first.leave();
  const id = first.lastId();
  const ping = { event: 'ping', id, data: {} };
  const silent = await follow({ lastEventId: id });
  await store(2);
  const later = await follow({ lastEventId: id });
  for (const { events, entries } of [silent, later]) {
    await until(async () => entries().length === 1);
    expect(events).toEqual([ping, expect.objectContaining({ event: 'entry' })]);
  }
});

it('refused uploads that are kept come to those who ask for them, once each', async () => {
  const { store, follow, refusals } = await start();
  const [asking, other] = [await follow({ refused: true }), await follow()];
  for (const celsius of ['a', 'b']) await refusals.refuse({ celsius });
  await refusals.uploadText('{"celsius":\r\n"c"}');
  await until(async () => asking.refused().length >= 3);
  await refusals.refuse({ celsius: 'd' });
  await until(async () => asking.refused().length >= 4);
  expect(asking.refused()).toEqual((await refusals.list()).result.toReversed());

  const at = asking.events.find(({ data }) => data.payload?.celsius === 'b')?.id;
  const later = await follow({ refused: true, lastEventId: at });
  await until(async () => later.refused().length >= 2);
  expect(later.refused()).toEqual(asking.refused().slice(2));
  await store(1);
  await until(async () => other.entries().length === 1 && later.entries().length === 1);
  expect(other.refused()).toEqual([]);
  expect(later.refused()).toHaveLength(2);
});

it('what comes too fast is left out, but for the newest, and its number is said exactly', async () => {
  const { follow, batch } = await start();
  const following = await follow({ refused: true });
  const lines = Array.from({ length: 10_000 }, (_, n) => ({ celsius: n % 10 === 9 ? `${n}` : n / 1_000 }));
  expect((await batch(ndjson(lines))).body.data).toMatchObject({ accepted: 9_000, rejected: 1_000 });
  await until(async () => following.entries().length + following.skipped('entries') >= 9_000);
  expect(following.entries().length + following.skipped('entries')).toBe(9_000);
  expect(following.skipped('entries')).toBeGreaterThan(0);
  const numbers = celsiusOf(following.entries());
  expect(numbers.at(-1)).toBe(9.998);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));

  const { lastId } = following;
  following.leave();
  await batch(ndjson(lines));
  const next = await follow({ lastEventId: lastId() });
  await until(async () => next.entries().length + next.skipped('entries') >= 9_000);
  expect(next.entries().length + next.skipped('entries')).toBe(9_000);
});

it('for a follower that does not read little is held, and it goes on where it was', async () => {
  const { domain, follow } = await start();
  const { upload } = uploadClient(sluice, token);
  const path = `/api/applications/${domain}/data/live`;
  const request = get(`${sluice.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const reading = await follow();
  const count = 32;
  const text = 'x'.repeat(1_000_000);
  for (let n = 0; n < count; n++)
    expect((await untilTaken(() => upload(domain, JSON.stringify({ celsius: n % 60, text })))).status).toBe(
      201,
    );
  const isTold = async () => reading.entries().length + reading.skipped('entries') === count;
  await until(isTold);

  let bytes = 0;
  let told = 0;
  let rest = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    bytes += piece.length;
    const events = (rest + piece).split('\n\n');
    rest = events.pop() as string;
    for (const event of events) {
      if (event.includes('event: entry')) told += 1;
      told += Number(/"count":(\d+)/.exec(event)?.[1] ?? 0);
    }
  });
  await until(async () => told >= count);
  expect(told).toBe(count);
  // What the sockets hold, and two looks.
  expect(bytes).toBeLessThan((count * text.length) / 2);
});

/** What ends the streams of a member. Each makes what it needs; returns the token of the stream, and what ends it. */
const ends: [
  string,
  (as: Awaited<ReturnType<typeof withMember>>) => Promise<readonly [string, () => unknown]>,
][] = [
  [
    'the application is deleted',
    async ({ login, path }) => [login, () => sluice.request('DELETE', path, { token })],
  ],
  [
    'the member is removed',
    async ({ login, path, username }) => [
      login,
      () => sluice.request('DELETE', `${path}/members/${username}`, { token }),
    ],
  ],
  [
    'the password is changed',
    async ({ login }) => {
      const json = { old_password: 'correct horse', new_password: 'better horse' };
      return [login, () => sluice.request('PUT', '/users/me/password', { token: login, json })];
    },
  ],
  [
    'the user is disabled',
    async ({ login, username, users }) => [
      login,
      async () => users.disable((await users.byName(username))?.id as string),
    ],
  ],
  [
    'the session ends',
    async ({ username }) => {
      const json = { username, password: 'correct horse' };
      const opened = await sluice.request('POST', '/session', { json });
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] as string;
      const headers = { cookie, origin: sluice.url };
      return [opened.body.data.token, () => sluice.request('DELETE', '/session', { headers })];
    },
  ],
  [
    'the personal token is revoked',
    async ({ login, personal }) => {
      const { id, token: own } = await personal();
      return [own, () => sluice.request('DELETE', `/users/me/tokens/${id}`, { token: login })];
    },
  ],
  [
    'the personal token expires',
    async ({ personal }) => {
      const { token: own } = await personal(new Date(Date.now() + 3_000).toISOString());
      return [own, () => {}];
    },
  ],
];

/** An application of the owner, and a member of it. */
async function withMember() {
  const { domain, path } = await start();
  const { username, token: login } = await sluice.owner();
  const json = { role: 'reader' };
  expect((await sluice.request('PUT', `${path}/members/${username}`, { token, json })).status).toBe(200);
  return {
    domain,
    path,
    username,
    login,
    users: storeOf(sluice).users,
    async personal(expires_at?: string): Promise<{ id: string; token: string }> {
      const fields = { name: 'stream', scopes: ['read'], expires_at };
      const { body } = await sluice.request('POST', '/users/me/tokens', { token: login, json: fields });
      return body.data;
    },
  };
}

it.each(ends)('a stream ends when %s, and no other', async (_what, prepare) => {
  const member = await withMember();
  const [own, end] = await prepare(member);
  const other = await start();
  const [ending, staying] = [
    await follow(sluice.url, { token: own, domain: member.domain }),
    await other.follow(),
  ];
  await end();
  await ending.ended;
  await other.store(1);
  await until(async () => staying.entries().length === 1);
});

it('a server that stops ends streams', async () => {
  const own = await startSluice({ workers: false });
  const { token } = await own.owner();
  const following = await follow(own.url, { token, domain: await own.application(token) });
  await Promise.all([own.stop(), following.ended]);
  expect(following.entries()).toEqual([]);
});
