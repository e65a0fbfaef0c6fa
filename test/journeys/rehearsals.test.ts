import { expect, it } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { rehearsalClient } from '../support/rehearsal-client.ts';
import { sharedSluice, storeOf } from '../support/sluice.ts';

const sluice = await sharedSluice();

/** An application with these entries, in this order. */
async function filled(payloads: (object | string)[]) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const lines = payloads.map((payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload)));
  if (lines.length > 0) await importClient(sluice, token).complete(domain, lines.join('\n'));
  return { token, domain, rehearsals: rehearsalClient(sluice, token) };
}

const upTo60 = { type: 'object', properties: { celsius: { type: 'number', maximum: 60 } } };

it('tells how many entries conform, and which do not for which reason', async () => {
  const { token, domain, rehearsals } = await filled([
    { celsius: 61 },
    { celsius: 20 },
    { celsius: 'warm' },
    { celsius: 99 },
    {},
  ]);
  const { job, lines } = await rehearsals.complete(domain, upTo60);
  expect(job).toMatchObject({
    kind: 'rehearsal',
    state: 'completed',
    progress: { done: 5, total: 5 },
    result: {
      checked: 5,
      conforming: 2,
      groups: [
        { path: '/celsius', keyword: 'maximum', count: 2, example: { celsius: 61 } },
        { path: '/celsius', keyword: 'type', count: 1, example: { celsius: 'warm' } },
      ],
    },
    file: { rows: 3 },
    schema: JSON.stringify(upTo60),
  });
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token });
  const stored = body.data.result.toReversed();
  const bad = stored.filter(({ payload }: { payload: { celsius?: unknown } }) =>
    [61, 'warm', 99].includes(payload.celsius as number),
  );
  expect(lines).toMatchObject(
    bad.map(({ id, createdAt, payload }: Record<string, unknown>) => ({
      id,
      createdAt,
      payload,
      name: 'SchemaValidationError',
      details: [{ path: '/celsius' }],
    })),
  );
  const list = await sluice.request('GET', `/applications/${domain}/rehearsals`, { token });
  expect(list.body.data).toMatchObject([{ id: job.id, result: { checked: 5, conforming: 2 } }]);
  expect(list.body.data[0].result).not.toHaveProperty('groups');
});

it('changes nothing: the schema in force and the entries stay as they are', async () => {
  const { token, domain, rehearsals } = await filled([{ celsius: 61 }]);
  const before = await sluice.request('GET', `/applications/${domain}/data`, { token });
  await rehearsals.complete(domain, upTo60);
  expect((await sluice.request('GET', `/applications/${domain}/data`, { token })).text).toBe(before.text);
  const upload = await sluice.request('POST', `/applications/${domain}/data`, { json: { celsius: 61 } });
  expect(upload.status).toBe(201);
});

it('compares integers of 64 bits exactly, and shows them with all digits', async () => {
  const large = '{"n":9007199254740993}';
  const { token, domain, rehearsals } = await filled([large, '{"n":9007199254740992}', '{"n":7}']);
  const schema = '{"type":"object","properties":{"n":{"maximum":9007199254740992}}}';
  const { body } = await sluice.request('POST', `/applications/${domain}/rehearsals`, {
    token,
    body: JSON.stringify({ schema }),
  });
  const job = await rehearsals.ended(domain, body.data.id);
  expect(job.result).toMatchObject({ checked: 3, conforming: 2 });
  const path = `/applications/${domain}/rehearsals/${job.id}`;
  expect((await sluice.request('GET', path, { token })).text).toContain(`"example":${large}`);
  expect((await sluice.request('GET', `${path}/file`, { token })).text).toContain(`"payload":${large}}`);
});

it('tells apart which property is missing', async () => {
  const { domain, rehearsals } = await filled([{ a: 1 }, { a: 2 }, { b: 1 }]);
  const { job } = await rehearsals.complete(domain, { type: 'object', required: ['a', 'b'] });
  expect(job.result.groups).toMatchObject([
    { path: '', keyword: 'required', property: 'b', count: 2 },
    { path: '', keyword: 'required', property: 'a', count: 1 },
  ]);
});

it('cuts the example of a large payload off, not the payload in the file', async () => {
  const text = 'x'.repeat(5_000);
  const { domain, rehearsals } = await filled([{ text }]);
  const { job, lines } = await rehearsals.complete(domain, { type: 'object', required: ['n'] });
  expect(job.result.groups).toEqual([
    {
      path: '',
      keyword: 'required',
      property: 'n',
      count: 1,
      example: expect.stringMatching(/^{"text":"x+… \(cut off\)$/),
    },
  ]);
  expect(lines).toMatchObject([{ payload: { text } }]);
});

it('checks the entries of a period alone', async () => {
  const { token, domain, rehearsals } = await filled([{ celsius: 61 }]);
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token });
  const { createdAt } = body.data.result[0];
  const later = new Date(Date.parse(createdAt) + 1).toISOString();
  expect((await rehearsals.complete(domain, upTo60, { from: createdAt, to: later })).job.result.checked).toBe(
    1,
  );
  expect((await rehearsals.complete(domain, upTo60, { from: later })).job.result.checked).toBe(0);
  expect((await rehearsals.complete(domain, upTo60, { to: createdAt })).job.result.checked).toBe(0);
});

it('checks nothing of an application without entries', async () => {
  const { domain, rehearsals } = await filled([]);
  const { job, lines } = await rehearsals.complete(domain, upTo60);
  expect(job).toMatchObject({ state: 'completed', result: { checked: 0, conforming: 0, groups: [] } });
  expect(lines).toEqual([]);
});

it('checks ranges of many entries each, and puts their lines in order', async () => {
  const total = 12_000;
  const payloads = Array.from({ length: total }, (_, n) => ({ n, text: 'x'.repeat(900) }));
  const { token, domain, rehearsals } = await filled(payloads);
  const store = storeOf(sluice);
  const application = (await store.applications.byDomain(domain))?.id as string;
  // A worker sets them now and then.
  await store.milestones.set(application, Date.now() + 60_000, 100);
  const whole = { from: '2020-01-01', to: '2100-01-01' };
  const isBad = ({ n }: { n: number }) => n % 3 === 0 || n > 11_000;
  const schema = { type: 'object', properties: { n: { maximum: 11_000, not: { multipleOf: 3 } } } };
  const { job, lines } = await rehearsals.complete(domain, schema, whole);
  const bad = payloads.filter(isBad);
  expect(job.result).toMatchObject({ checked: total, conforming: total - bad.length });
  expect(lines.map(({ payload }) => payload.n)).toEqual(bad.map(({ n }) => n));
  const reasons = Object.groupBy(lines, ({ details: [first] }) => `${first.path} ${first.keyword}`);
  const counts = Object.entries(reasons).map(([reason, list = []]) => [reason, list.length]);
  expect(
    job.result.groups.map(({ path, keyword, count }: Record<string, unknown>) => [
      `${path} ${keyword}`,
      count,
    ]),
  ).toEqual(counts.toSorted(([, a], [, b]) => (b as number) - (a as number)));
  expect(
    (await sluice.request('DELETE', `/applications/${domain}/rehearsals/${job.id}`, { token })).status,
  ).toBe(200);
});

it('checks refused uploads too, where they are asked for', async () => {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, celsiusSchema);
  const { upload, untilCounted, list } = refusedClient(sluice, token, domain);
  const rehearsals = rehearsalClient(sluice, token);
  for (const celsius of [20, 61, 99, 'warm']) await upload({ celsius });
  await untilCounted(3);
  const looser = { type: 'object', properties: { celsius: { type: 'number', maximum: 70 } } };
  const { job, lines } = await rehearsals.complete(domain, looser, { of: 'refused' });
  expect(job).toMatchObject({ progress: { done: 3, total: 3 }, result: { checked: 3, conforming: 1 } });
  const { result } = await list();
  const [{ id, received_at }] = result.filter(
    ({ payload }: { payload: { celsius: unknown } }) => payload.celsius === 99,
  );
  expect(lines[0]).toMatchObject({ id, createdAt: received_at, refused: true, payload: { celsius: 99 } });
  expect(lines[1]).toMatchObject({ refused: true, payload: { celsius: 'warm' } });

  const both = await rehearsals.complete(domain, looser, { of: 'both' });
  expect(both.job.result).toMatchObject({ checked: 4, conforming: 2 });
  const past = await rehearsals.complete(domain, looser, { of: 'refused', to: '2020-01-01' });
  expect(past.job.result.checked).toBe(0);
});

it('counts by the ingest key with which entries and refused uploads were sent', async () => {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, celsiusSchema);
  const path = `/applications/${domain}`;
  async function newKey(name: string) {
    const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name } });
    return body.data;
  }
  const [good, bad] = [await newKey('good'), await newKey('bad')];
  const { untilCounted } = refusedClient(sluice, token, domain);
  const send = (payloads: object[], key?: { key: string }) =>
    sluice.request('POST', `${path}/data/batch`, {
      json: payloads,
      ...(key && { headers: { 'x-api-key': key.key } }),
    });
  await send([{ celsius: 1 }, { celsius: 2 }], good);
  await send([{ celsius: 1 }, { celsius: 50 }, { celsius: 51 }, { celsius: 99 }], bad);
  await send([{ celsius: 3, place: 7 }, { celsius: 52 }]);
  await untilCounted(1);
  const schema = { type: 'object', properties: { celsius: { maximum: 40 }, place: { type: 'string' } } };
  const { job } = await rehearsalClient(sluice, token).complete(domain, schema, { of: 'both' });
  expect(job.result.by_key).toEqual([
    { key: bad.id, checked: 4, refused: 3, paths: ['/celsius'] },
    { key: null, checked: 2, refused: 2, paths: expect.arrayContaining(['/celsius', '/place']) },
    { key: good.id, checked: 2, refused: 0, paths: [] },
  ]);
  const list = await sluice.request('GET', `${path}/rehearsals`, { token });
  expect(list.body.data[0].result).not.toHaveProperty('by_key');
});

it('names the first 1,000 reasons, and counts the others together', async () => {
  const payloads = Array.from({ length: 1_010 }, (_, n) => ({ [`f${n}`]: 1 }));
  const { domain, rehearsals } = await filled(payloads);
  const { job } = await rehearsals.complete(domain, {
    type: 'object',
    additionalProperties: { type: 'string' },
  });
  const { groups } = job.result;
  expect(groups).toHaveLength(1_001);
  expect(groups[0]).toMatchObject({ path: '', keyword: 'other', count: 10 });
});

it('refuses what is no schema, and what is not asked for rightly', async () => {
  const { domain, rehearsals } = await filled([]);
  const bad = await rehearsals.start(domain, { type: 'object', properties: { a: { type: 'int' } } });
  expect([bad.status, bad.body.error.name]).toEqual([422, 'InvalidSchemaError']);
  expect((await rehearsals.start(domain, upTo60, { of: 'jobs' })).status).toBe(400);
  expect((await rehearsals.start(domain, upTo60, { from: '2026-02-01', to: '2026-01-01' })).status).toBe(400);
});

it('is for the owner', async () => {
  const { domain, rehearsals } = await filled([{ celsius: 61 }]);
  const { job } = await rehearsals.complete(domain, upTo60);
  const other = rehearsalClient(sluice, (await sluice.owner()).token);
  expect((await other.start(domain, upTo60)).status).toBe(404);
  expect(await other.look(domain, job.id)).toBeUndefined();
  const anyone = await sluice.request('POST', `/applications/${domain}/rehearsals`, {
    json: { schema: upTo60 },
  });
  expect(anyone.status).toBe(401);
});
