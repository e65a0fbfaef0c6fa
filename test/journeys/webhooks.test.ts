import { parse } from 'csv-parse/sync';
import { type Document, MongoClient } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { read } from '../support/exports/parquet-files.ts';
import { follow } from '../support/live-client.ts';
import { createReceiver, type Received } from '../support/receiver.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { type Call, startSluice, until } from '../support/sluice.ts';
import { unzip } from '../support/unzip.ts';

const sluice = await startSluice({ env: { OUTBOUND_ALLOW: '127.0.0.1,localhost', DELETION_GRACE: '7d' } });
afterAll(() => sluice.stop());

async function application() {
  const { token, username } = await sluice.owner();
  const domain = await sluice.application(token);
  const path = `/applications/${domain}`;
  const send = (method: string, where: string, json?: unknown) =>
    sluice.request(method, `${path}${where}`, { token, ...(json !== undefined && { json }) });
  const upload = async (...numbers: number[]) => {
    const { status } = await send(
      'POST',
      '/data/batch',
      numbers.map((n) => ({ n })),
    );
    expect(status).toBe(201);
  };
  const create = async (json: object) => (await send('POST', '/webhooks', json)).body.data;
  const deliveries = async (id: string) => (await send('GET', `/webhooks/${id}/deliveries`)).body.data.result;
  return { token, username, domain, path, send, upload, create, deliveries };
}

const numbersOf = (received: Received[]) =>
  received
    .filter(({ event }) => event.type === 'entries.stored')
    .flatMap(({ event }) => event.data.entries.map(({ payload }: { payload: { n: number } }) => payload.n));

describe('entries.stored', () => {
  it('brings what is uploaded from now on, signed, in order and as the list shows it', async () => {
    const { domain, send, upload, create, deliveries } = await application();
    await upload(-1);
    const receiver = await createReceiver();
    const { id, secret } = await create({ url: receiver.url, events: ['entries.stored'] });
    for (let n = 0; n < 6; n += 2) await upload(n, n + 1);
    await until(async () => numbersOf(receiver.received).includes(5));
    expect(numbersOf(receiver.received).filter((n) => n >= 0)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const { body, headers, event } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect(event.data.domain).toBe(domain);
    }
    const listed = (await send('GET', '/data?order=oldest')).body.data.result;
    const sent = receiver.received.flatMap(({ event }) => event.data.entries);
    expect(sent.map(({ schema_version: _, ...entry }) => entry).slice(-6)).toEqual(listed.slice(-6));
    await until(async () =>
      (await deliveries(id)).every(({ state }: { state: string }) => state === 'delivered'),
    );
    expect((await deliveries(id))[0].last).toMatchObject({ status: 200, body: 'ok' });
  });

  it('comes again with the same id until the receiver takes it, and nothing overtakes it', async () => {
    const { upload, create } = await application();
    const receiver = await createReceiver((response, _, count) =>
      response.writeHead(count < 3 ? 500 : 204).end(),
    );
    await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => receiver.received.length > 0);
    await upload(2);
    await until(async () => numbersOf(receiver.received).includes(2));
    expect(numbersOf(receiver.received)).toEqual([1, 1, 1, 2]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(ids).size).toBe(2);
  });

  it('goes on where it was after a pause', async () => {
    const { send, upload, create } = await application();
    const receiver = await createReceiver();
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => numbersOf(receiver.received).includes(1));
    expect((await send('PATCH', `/webhooks/${id}`, { state: 'paused' })).body.data.state).toBe('paused');
    await upload(2);
    await upload(3);
    await send('PATCH', `/webhooks/${id}`, { state: 'active' });
    await until(async () => numbersOf(receiver.received).includes(3));
    expect(numbersOf(receiver.received)).toEqual([1, 2, 3]);
  });

  it('comes again from a time on, and one delivery by its id', async () => {
    const { send, upload, create, deliveries } = await application();
    const receiver = await createReceiver();
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => numbersOf(receiver.received).length === 1);
    await until(async () => (await deliveries(id))[0]?.state === 'delivered');
    const [first] = await deliveries(id);
    await send('POST', `/webhooks/${id}/deliveries/${first.id}/redeliver`);
    await until(async () => numbersOf(receiver.received).length === 2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    expect((await send('POST', `/webhooks/${id}/redeliver`, { from })).status).toBe(200);
    await until(async () => numbersOf(receiver.received).length === 3);
    expect(numbersOf(receiver.received)).toEqual([1, 1, 1]);
  });
});

describe('other events', () => {
  it('tell of schemas, exports and imports that end, and of refusals and losses at a threshold, once', async () => {
    const { domain, send, upload, create } = await application();
    const receiver = await createReceiver();
    const events = ['schema.published', 'export.completed', 'import.completed', 'refusals.threshold'];
    await create({ url: receiver.url, events, refusals: { count: 5, minutes: 60 } });
    await upload(1);
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    expect((await send('POST', '/schemas', { schema })).status).toBe(200);
    const exported = (await send('POST', '/exports', { filter: { n: 1 } })).body.data;
    const imported = (await send('POST', '/imports', [{ n: 2 }])).body.data;
    await until(async () => (await send('POST', '/data', { n: 'x' })).status === 422);
    await send('POST', '/data', { n: 'x' });
    for (let n = 0; n < 3; n++)
      await sluice.request('POST', `/applications/${domain}/data`, { body: 'none' });
    await until(async () => new Set(receiver.received.map(({ event }) => event.type)).size === 4);
    expect(receiver.of('schema.published')).toMatchObject([{ event: { data: { domain, version: 2 } } }]);
    expect(receiver.of('export.completed')[0]?.event.data.job).toMatchObject({
      id: exported.id,
      state: 'completed',
    });
    expect(exported.asked).toEqual({ filter: '{"/n":{"eq":1}}' });
    expect(receiver.of('export.completed')[0]?.event.data.job).not.toHaveProperty('asked');
    expect(receiver.of('import.completed')[0]?.event.data.job).toMatchObject({
      id: imported.id,
      accepted: 1,
    });
    expect(receiver.of('refusals.threshold')[0]?.event.data).toEqual({
      domain,
      refused: 2,
      lost: 3,
      minutes: 60,
    });
    await upload(3);
    expect(receiver.received).toHaveLength(4);
  });
});

describe('a receiver', () => {
  it('that answers 410 is not asked again, the owner sees why, and it goes on from there when it is active again', async () => {
    const { send, upload, create, deliveries } = await application();
    const receiver = await createReceiver((response) => response.writeHead(410).end());
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => (await send('GET', `/webhooks/${id}`)).body.data.state === 'disabled');
    expect((await send('GET', `/webhooks/${id}`)).body.data.reason).toBe('the receiver answered 410 Gone');
    expect(await deliveries(id)).toMatchObject([{ state: 'waiting', attempts: 1, last: { status: 410 } }]);
    receiver.answer((response) => response.end());
    await upload(2);
    const before = receiver.received.length;
    await send('PATCH', `/webhooks/${id}`, { state: 'active' });
    await until(async () => numbersOf(receiver.received).includes(2));
    expect(numbersOf(receiver.received.slice(before))).toEqual([1, 2]);
  });

  it('that redirects gets nothing there', async () => {
    const { send, create, deliveries } = await application();
    const other = await createReceiver();
    const receiver = await createReceiver((response) =>
      response.writeHead(302, { location: other.url }).end(),
    );
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await send('POST', `/webhooks/${id}/ping`);
    await until(async () => (await deliveries(id))[0]?.last !== undefined);
    expect((await deliveries(id))[0].last).toMatchObject({
      status: 302,
      error: 'redirects are not followed',
    });
    expect(other.received).toEqual([]);
  });

  it('that hangs holds up no other', async () => {
    const { upload, create } = await application();
    const hanging = await createReceiver(() => {});
    const quick = await createReceiver();
    for (let n = 0; n < 5; n++) await create({ url: hanging.url, events: ['entries.stored'] });
    await create({ url: quick.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => hanging.received.length === 5);
    const began = Date.now();
    await upload(2);
    await until(async () => numbersOf(quick.received).includes(2));
    expect(hanging.received.every(({ at }) => at <= began)).toBe(true);
  });
});

it('once a pause is answered no request begins', async () => {
  const { send, upload, create, deliveries } = await application();
  const answers: (() => void)[] = [];
  const receiver = await createReceiver((response) => response.end());
  const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
  for (const n of [1, 2, 3]) {
    await upload(n);
    await until(async () => numbersOf(receiver.received).includes(n));
  }
  await until(async () =>
    (await deliveries(id)).every((one: { state: string }) => one.state === 'delivered'),
  );
  receiver.answer((response) => void answers.push(() => response.end()));
  const sent = await deliveries(id);
  expect(sent.length).toBeGreaterThan(1);
  await send('PATCH', `/webhooks/${id}`, { state: 'paused' });
  for (const one of sent) await send('POST', `/webhooks/${id}/deliveries/${one.id}/redeliver`);
  await send('PATCH', `/webhooks/${id}`, { state: 'active' });
  await until(async () => answers.length === 1);
  await send('PATCH', `/webhooks/${id}`, { state: 'paused' });
  answers[0]?.();
  await until(async () => (await deliveries(id)).some((one: { state: string }) => one.state === 'delivered'));
  // The worker is at others.
  const other = await createReceiver();
  const { id: next } = await create({ url: other.url, events: ['entries.stored'] });
  await send('POST', `/webhooks/${next}/ping`);
  await until(async () => other.received.length === 1);
  expect(answers).toHaveLength(1);
});

describe('a webhook that rests goes on at once', () => {
  /** As a worker leaves it that looks when nothing may be delivered. */
  async function rest(domain: string): Promise<void> {
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    onTestFinished(() => client.close());
    const found = await client.db().collection('applications').findOne({ domain });
    const dueAt = new Date(Date.now() + 3_600_000);
    await client
      .db()
      .collection('webhooks')
      .updateMany({ application: (found as Document)._id }, { $set: { dueAt } });
  }

  it('when its application is restored', async () => {
    const { domain, token, send, create } = await application();
    const receiver = await createReceiver();
    await create({ url: receiver.url, events: ['entries.stored'] });
    await send('DELETE', '');
    await rest(domain);
    expect((await sluice.request('POST', `/applications/${domain}/restore`, { token })).status).toBe(200);
    await until(async () => (await send('POST', '/data', { n: 1 })).status === 201);
    await until(async () => numbersOf(receiver.received).includes(1));
  });

  it('when its owner is enabled again', async () => {
    const { domain, username, upload, create } = await application();
    const receiver = await createReceiver();
    await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    expect((await admin(sluice.env, ['users', 'disable', username])).code).toBe(0);
    await rest(domain);
    expect((await admin(sluice.env, ['users', 'enable', username])).code).toBe(0);
    await until(async () => numbersOf(receiver.received).includes(1));
  });
});

it('each rotated secret signs beside those after it, and a rotation beyond the limit is refused', async () => {
  const { send, upload, create } = await application();
  const receiver = await createReceiver();
  const { id, secret } = await create({ url: receiver.url, events: ['entries.stored'] });
  const secrets = [secret];
  for (;;) {
    const { status, body } = await send('POST', `/webhooks/${id}/rotate`);
    if (status !== 200) {
      expect([status, body.error.message]).toEqual([429, expect.stringContaining('50 secrets that sign')]);
      break;
    }
    secrets.push(body.data.secret);
  }
  expect(secrets).toHaveLength(50);
  await upload(1);
  await until(async () => receiver.received.length > 0);
  const [{ body, headers }] = receiver.received as [Received];
  for (const each of secrets)
    expect(new Webhook(each).verify(body, headers as Record<string, string>)).toBeTruthy();
});

it('a rotated secret signs beside the one before it', async () => {
  const { send, upload, create } = await application();
  const receiver = await createReceiver();
  const { id, secret } = await create({ url: receiver.url, events: ['entries.stored'] });
  const rotated = (await send('POST', `/webhooks/${id}/rotate`)).body.data.secret;
  await upload(1);
  await until(async () => receiver.received.length > 0);
  const [{ body, headers }] = receiver.received as [Received];
  for (const each of [secret, rotated])
    expect(new Webhook(each).verify(body, headers as Record<string, string>)).toBeTruthy();
  const foreign = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(() => new Webhook(foreign).verify(body, headers as Record<string, string>)).toThrow();
});

describe('the routes', () => {
  it.each([
    ['no URL', { events: ['entries.stored'] }, '/url'],
    ['another scheme', { url: 'ftp://example.com/', events: ['entries.stored'] }, '/url'],
    ['a password in the URL', { url: 'https://a:b@example.com/', events: ['entries.stored'] }, '/url'],
    ['no event', { url: 'https://example.com/', events: [] }, '/events'],
    ['an unknown event', { url: 'https://example.com/', events: ['x'] }, '/events/0'],
    [
      'a threshold that is missing',
      { url: 'https://example.com/', events: ['refusals.threshold'] },
      '/refusals',
    ],
    ['a private address', { url: 'http://10.0.0.1/', events: ['entries.stored'] }, '/url'],
  ])('refuse %s', async (_what, json, path) => {
    const { send } = await application();
    const { status, body } = await send('POST', '/webhooks', json);
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  it('keep the secret to themselves, say who made it, and forget a deleted webhook', async () => {
    const { username, send, create } = await application();
    const { id, secret } = await create({
      url: 'https://example.com/',
      events: ['entries.stored'],
      name: 'N',
    });
    expect((await send('GET', `/webhooks/${id}`)).body.data.createdBy).toBe(username);
    const texts = await Promise.all(
      ['', `/${id}`].map(async (where) => (await send('GET', `/webhooks${where}`)).text),
    );
    for (const text of texts) expect(text).not.toContain(secret);
    expect((await send('DELETE', `/webhooks/${id}`)).status).toBe(200);
    expect((await send('GET', `/webhooks/${id}`)).status).toBe(404);
  });

  it('allow ten webhooks', async () => {
    const { send } = await application();
    const made = await Promise.all(
      Array.from({ length: 12 }, () =>
        send('POST', '/webhooks', { url: 'https://example.com/', events: ['entries.stored'] }),
      ),
    );
    expect(made.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(10);
  });
});

describe('nothing is lost', () => {
  it('when a webhook with a delivery that waits is told to begin later', async () => {
    const { send, upload, create, deliveries } = await application();
    const receiver = await createReceiver((response) => response.writeHead(500).end());
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1, 2);
    await until(async () => (await deliveries(id))[0]?.attempts > 0);
    const webhook = async () => (await send('GET', `/webhooks/${id}`)).body.data;
    await until(async () => Date.parse((await webhook()).next_try_at) > 0);
    const from = new Date(Date.now() + 3_600_000).toISOString();
    expect((await send('POST', `/webhooks/${id}/redeliver`, { from })).status).toBe(200);
    receiver.answer((response) => response.end());
    const before = receiver.received.length;
    await upload(3);
    await until(async () => numbersOf(receiver.received.slice(before)).includes(3));
    expect(new Set(numbersOf(receiver.received.slice(before)))).toEqual(new Set([1, 2, 3]));
    await until(async () => !('next_try_at' in (await webhook())));
  });

  it('when an import brings older times between the entries of a delivery that waits', async () => {
    const { send, upload, create, deliveries } = await application();
    const receiver = await createReceiver((response) => response.writeHead(500).end());
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(-1);
    await until(async () => receiver.received.length > 0);
    // Until the first one is taken, no more are read.
    await upload(...Array.from({ length: 200 }, (_, n) => n));
    await upload(...Array.from({ length: 301 }, (_, n) => 200 + n));
    const last = '/data?order=oldest&start=501&limit=1';
    await until(async () => (await send('GET', last)).body.data.result.length === 1);
    receiver.answer((response, { event }) =>
      response.writeHead(event.data.entries.length === 1 ? 204 : 500).end(),
    );
    await until(async () => receiver.received.at(-1)?.event.data.entries.length === 500);
    const { createdAt } = (receiver.received.at(-1) as Received).event.data.entries[100];
    const lines = Array.from({ length: 300 }, (_, n) => ({ createdAt, payload: { n: -2 - n } }));
    const imported = (await send('POST', '/imports?entries=wrapped', lines)).body.data;
    await until(async () => (await send('GET', `/imports/${imported.id}`)).body.data.state === 'completed');
    const before = receiver.received.length;
    receiver.answer((response) => response.end());
    await until(async () => numbersOf(receiver.received.slice(before)).includes(500));
    expect(numbersOf(receiver.received.slice(before))).toEqual(Array.from({ length: 501 }, (_, n) => n));
    const full = (await deliveries(id)).at(-2);
    await send('POST', `/webhooks/${id}/deliveries/${full.id}/redeliver`);
    await until(async () => receiver.received.at(-1)?.headers['webhook-id'] === `msg_${full.id}`);
    expect(receiver.received.at(-1)?.event.data.entries).toHaveLength(500);
  });

  it('when an event is added before the end of a job was told; of the new event only what comes later', async () => {
    const { send, create } = await application();
    const receiver = await createReceiver();
    const { id } = await create({ url: receiver.url, events: ['import.completed'] });
    await send('PATCH', `/webhooks/${id}`, { state: 'paused' });
    const complete = async (kind: string, json: unknown) => {
      const { id } = (await send('POST', `/${kind}`, json)).body.data;
      await until(async () => (await send('GET', `/${kind}/${id}`)).body.data.state === 'completed');
    };
    await complete('imports', [{ n: 1 }]);
    await complete('exports', {});
    await send('PATCH', `/webhooks/${id}`, {
      events: ['import.completed', 'export.completed'],
      state: 'active',
    });
    await complete('exports', { format: 'ndjson' });
    await until(async () => receiver.received.length >= 2);
    expect(receiver.received.map(({ event }) => [event.type, event.data.job.format])).toEqual([
      ['import.completed', 'json'],
      ['export.completed', 'ndjson'],
    ]);
  });

  it('when a delivery is asked for again while it is being sent', async () => {
    const { send, upload, create, deliveries } = await application();
    const answers: (() => void)[] = [];
    const receiver = await createReceiver((response) => void answers.push(() => response.end()));
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => receiver.received.length === 1);
    const [{ id: delivery }] = await deliveries(id);
    await send('POST', `/webhooks/${id}/deliveries/${delivery}/redeliver`);
    answers[0]?.();
    await until(async () => receiver.received.length === 2);
    answers[1]?.();
    await until(async () => (await deliveries(id))[0].state === 'delivered');
  });
});

it('of many pings one waits, and what was deleted is not sent', async () => {
  const { send, upload, create, deliveries } = await application();
  const receiver = await createReceiver();
  const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
  await send('PATCH', `/webhooks/${id}`, { state: 'paused' });
  for (let n = 0; n < 5; n++) await send('POST', `/webhooks/${id}/ping`);
  expect(await deliveries(id)).toHaveLength(1);
  await upload(1);
  const [entry] = (await send('GET', '/data')).body.data.result;
  await send('DELETE', `/data/${entry.id}`);
  await send('PATCH', `/webhooks/${id}`, { state: 'active' });
  await upload(2);
  await until(async () => numbersOf(receiver.received).includes(2));
  expect(numbersOf(receiver.received)).toEqual([2]);
  expect(receiver.of('ping')).toHaveLength(1);
});

it.each(['2026-11-25T23:59:60Z', 'soon', ''])('a time %j is refused, and nothing begins', async (from) => {
  const { send, create } = await application();
  const { id } = await create({ url: 'https://example.com/', events: ['entries.stored'] });
  expect((await send('POST', `/webhooks/${id}/redeliver`, { from })).status).toBe(400);
});

describe('who sent an entry', () => {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  type Found = any;
  const meta = ['source', 'key', 'by'];
  const told = ({ source, key, by }: Found) => [source, key ?? undefined, by ?? undefined];

  it('is told apart in lists, exports, live and webhooks, and by its key', async () => {
    const { token, username } = await sluice.owner();
    const domain = await sluice.application(token, celsiusSchema);
    const path = `/applications/${domain}`;
    const ask = async (method: string, where: string, more: Call = {}, status = 200): Promise<Found> => {
      const answer = await sluice.request(method, `${path}${where}`, { token, ...more });
      expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
      return answer.body.data;
    };
    const jobOf = async (kind: string, json: unknown): Promise<string> => {
      const { id } = await ask('POST', `/${kind}s`, { json }, 202);
      await until(async () => (await ask('GET', `/${kind}s/${id}`)).state === 'completed');
      return id;
    };
    const json = { name: 'Till 7' };
    const [key, other] = [await ask('POST', '/keys', { json }), await ask('POST', '/keys', { json })];
    const personal = await sluice.request('POST', '/users/me/tokens', {
      token,
      json: { name: 'n', scopes: ['upload'] },
    });
    const receiver = await createReceiver();
    await ask('POST', '/webhooks', { json: { url: receiver.url, events: ['entries.stored'], meta } });
    const query = `meta=${meta.join()}`;
    const live = await follow(sluice.url, { token, domain, query });
    const ofKey = `key=${key.id}`;
    const liveOfKey = await follow(sluice.url, { token, domain, refused: true, query: `${query}&${ofKey}` });

    const send = (where: string, body: unknown, as?: string, status = 201) =>
      ask('POST', where, { token: undefined, json: body, headers: as ? { 'x-api-key': as } : {} }, status);
    await send('/data', { celsius: 1 });
    await send('/data', { celsius: 2 }, key.key);
    await send('/data/batch', [{ celsius: 3 }], personal.body.data.token);
    await send('/data/batch', [{ celsius: 4 }], key.key);
    await send('/data', { celsius: 5 }, other.key);
    const imported = await jobOf('import', [{ celsius: 6 }]);
    await sluice.request('POST', `${path}/data`, {
      json: { celsius: 70 },
      headers: { 'x-api-key': key.key },
    });
    await sluice.request('POST', `${path}/data`, { json: { celsius: 80 } });
    const refusals = refusedClient(sluice, token, domain);
    await refusals.untilCounted(2);
    const refused = await refusals.list(`?${ofKey}`);
    expect([refused.pagination.total, refused.result.map(({ payload }: Found) => payload)]).toEqual([
      1,
      [{ celsius: 70 }],
    ]);
    expect(await refusals.groups(`?${ofKey}`)).toMatchObject([
      { path: '/celsius', keyword: 'maximum', message: 'must be <= 60', count: 1, kept: 1 },
    ]);
    await until(async () => liveOfKey.refused().length === 1);
    const schema = { type: 'object', properties: { celsius: { type: 'number' } } };
    await ask('POST', '/schemas', { json: { schema } });
    const replayed = await jobOf('replay', { key: key.id });
    expect((await refusals.list()).pagination.total).toBe(1);

    const senders = [
      ['upload', undefined, undefined],
      ['upload', key.id, undefined],
      ['batch', undefined, username],
      ['batch', key.id, undefined],
      ['upload', other.id, undefined],
      ['import', undefined, imported],
      ['replay', key.id, replayed],
    ];
    const numbers = [1, 2, 3, 4, 5, 6, 70];
    const rowsOf = (entries: Found[]) => entries.map((entry) => [entry.payload.celsius, ...told(entry)]);
    const rows = numbers.map((n, at) => [n, ...(senders[at] as Found[])]);
    const { result } = await ask('GET', `/data?${query}`);
    expect(rowsOf(result.toReversed())).toEqual(rows);
    await until(async () => (await ask('GET', '/data?order=oldest')).result.length === rows.length);
    expect(rowsOf((await ask('GET', `/data?order=oldest&${query}`)).result)).toEqual(rows);
    expect(await ask('GET', `/data/${result[0].id}?meta=by`)).toMatchObject({ by: replayed });
    expect(told((await ask('GET', '/data')).result[0])).toEqual([undefined, undefined, undefined]);

    const file = async (options: string) => {
      const response = await fetch(`${sluice.url}/api${path}/export?${options}`, {
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
      });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const linesOf = (text: Buffer) =>
      text
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(rowsOf(linesOf(await file(`format=ndjson&${query}`)))).toEqual(rows);
    const cells = rows.map(([n, ...sender]) => [String(n), ...sender.map((text) => text ?? '')]);
    for (const arrays of ['json', 'columns']) {
      const csv = parse(await file(`meta=by,id,source,key&columns=celsius&arrays=${arrays}`), {
        columns: true,
      });
      expect(csv.map((row: Found) => [row.celsius, row.source, row.key, row.by])).toEqual(cells);
    }
    const zip = await unzip(await file(`${query}&arrays=rows`));
    const [header = [], ...entries]: string[][] = parse(String(zip.get('entries.csv')));
    expect(entries.map((row) => ['celsius', ...meta].map((name) => row[header.indexOf(name)]))).toEqual(
      cells,
    );
    const parquet = await read(await file(`format=parquet&${query}`));
    expect(parquet.map((row) => [row.celsius, ...told(row)])).toEqual(rows);
    expect(parquet[0]).toMatchObject({ source: 'upload', key: null, by: null });

    const mine = rows.filter(([, , id]) => id === key.id);
    const filtered = await ask('GET', `/data?${query}&${ofKey}&limit=2`);
    expect([filtered.pagination.total, rowsOf(filtered.result)]).toEqual([3, mine.slice(1).toReversed()]);
    const next = await ask('GET', `/data?${query}&${ofKey}&limit=2&after=${filtered.pagination.cursor}`);
    expect([next.pagination.total, rowsOf(next.result)]).toEqual([3, mine.slice(0, 1)]);
    const second = await ask('GET', `/data?${query}&${ofKey}&start=1&limit=1&order=oldest`);
    expect([second.pagination.total, rowsOf(second.result)]).toEqual([3, mine.slice(1, 2)]);
    expect(rowsOf(linesOf(await file(`format=ndjson&${query}&${ofKey}`)))).toEqual(mine);
    const made = await jobOf('export', {
      format: 'ndjson',
      meta,
      key: key.id,
      filter: { celsius: { lt: 9 } },
    });
    const { text } = await sluice.request('GET', `${path}/exports/${made}/file`, { token });
    expect(rowsOf(linesOf(Buffer.from(text)))).toEqual(mine.slice(0, 2));
    const unknown = 'a'.repeat(24);
    expect(await ask('GET', `/data?key=${unknown}`)).toMatchObject({ result: [], pagination: { total: 0 } });
    expect((await file(`format=ndjson&key=${unknown}`)).length).toBe(0);
    for (const where of [
      '/data?key=x',
      '/data/live?key=x',
      '/refused?key=x',
      '/export?key=x',
      '/data?meta=id',
      '/data?meta=by,by',
    ])
      await ask('GET', where, {}, 400);

    await until(async () => live.entries().length === rows.length);
    expect(rowsOf(live.entries())).toEqual(rows);
    await until(async () => liveOfKey.entries().length === mine.length);
    expect(rowsOf(liveOfKey.entries())).toEqual(mine);
    expect(liveOfKey.refused()[0].payload).toEqual({ celsius: 70 });
    const posted = () => receiver.received.flatMap(({ event }) => event.data.entries);
    await until(async () => posted().length === rows.length);
    expect(rowsOf(posted())).toEqual(rows);

    const { id } = filtered.result[0];
    await ask('DELETE', `/data/${id}`);
    const left = await ask('GET', `/data?${query}&${ofKey}`);
    expect([left.pagination.total, rowsOf(left.result)]).toEqual([2, mine.slice(0, 2).toReversed()]);
  });

  it('is told by a webhook as its meta says, also after a change', async () => {
    const { send, upload, create } = await application();
    const receiver = await createReceiver();
    const { id } = await create({ url: receiver.url, events: ['entries.stored'] });
    await upload(1);
    await until(async () => numbersOf(receiver.received).includes(1));
    expect((await send('PATCH', `/webhooks/${id}`, { meta: ['source'] })).body.data.meta).toEqual(['source']);
    await upload(2);
    await until(async () => numbersOf(receiver.received).includes(2));
    const entries = receiver.received.flatMap(({ event }) => event.data.entries);
    expect(entries.map(told)).toEqual([
      [undefined, undefined, undefined],
      ['batch', undefined, undefined],
    ]);
    expect((await send('PATCH', `/webhooks/${id}`, { meta: ['id'] })).status).toBe(400);
  });
});
