import { describe, expect, it } from 'vitest';
import { refusedClient } from '../support/refused-client.ts';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();

const schema = {
  type: 'object',
  properties: { total: { type: 'number' }, day: { type: 'string', format: 'date' } },
  required: ['total'],
};

async function begin(...payloads: unknown[]) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const client = refusedClient(sluice, token, domain);
  for (const payload of payloads) await client.refuse(payload);
  await client.untilCounted(payloads.length);
  const { path } = client;
  return {
    ...client,
    token,
    values: async (query: string) =>
      (await sluice.request('GET', `${path}/refused/values?${query}`, { token })).text,
    dryRun: (json: object) => sluice.request('POST', `${path}/replays?dry_run=true`, { token, json }),
  };
}

describe('the values of refused uploads', () => {
  it('are counted with each of their digits, and so are their senders', async () => {
    const { uploadText, untilCounted, values } = await begin({ total: 'free' }, { total: '25,00 kr' });
    for (const text of ['{"total":"free"}', '{"total":[1.10,9007199254740993]}', '{"total":"12 kr"}'])
      await uploadText(text);
    await untilCounted(5);
    const { data } = JSON.parse(await values('path=/total&keyword=type'));
    expect(data).toMatchObject({ read: 5, missing: 0, distinct: 4, sizes: { min: 2, max: 8 }, members: [] });
    expect(data.numbers).toBeUndefined();
    expect(data.values[0]).toEqual({ value: 'free', count: 2 });
    expect(data.senders).toEqual([{ network: '127.0.0.0/24', count: 5 }]);
    expect(await values('path=/total')).toContain('{"value":[1.10,9007199254740993],"count":1}');
  });

  it('of a missing member are what stands beside it', async () => {
    const { values } = await begin({ totl: 1, day: '2026-11-25' }, { totl: 2 });
    const { data } = JSON.parse(await values('path=&keyword=required&property=total'));
    expect(data).toMatchObject({ read: 2, missing: 2, values: [] });
    expect(data.members).toEqual([
      { name: 'totl', count: 2 },
      { name: 'day', count: 1 },
    ]);
  });

  it('that are long are cut, and those of other groups are not counted', async () => {
    const { values } = await begin({ total: 'x'.repeat(5_000) }, { total: 1, day: '25.11.2026' });
    const { data } = JSON.parse(await values('path=/total&keyword=type'));
    expect(data).toMatchObject({ read: 1, sizes: { min: 5_000, max: 5_000 } });
    expect(data.values).toEqual([{ value: `"${'x'.repeat(199)}…`, count: 1 }]);
  });
});

describe('a dry run of a replay', () => {
  it('counts what the changes would store, and what another schema would', async () => {
    const { dryRun, token, path } = await begin(
      { total: '25,00 kr' },
      { total: '1.234,50 kr' },
      { total: 'free' },
      { total: '5 USD' },
    );
    const group = { path: '/total', keyword: 'type', property: '' };
    const coerce = [{ path: '/total', to: 'number', decimal: ',', unit: 'kr' }];
    const changed = await dryRun({ ...group, coerce });
    expect(changed.body.data).toMatchObject({ checked: 4, conforming: 2 });
    expect(changed.text).toContain('"after":{"total":25.00}');
    const looser = { type: 'object', properties: { total: { type: ['number', 'string'] } } };
    const loosened = await dryRun({ ...group, schema: looser });
    expect(loosened.body.data).toMatchObject({ checked: 4, conforming: 4 });
    expect((await sluice.request('GET', `${path}/data`, { token })).body.data.result).toEqual([]);
    expect((await sluice.request('GET', path, { token })).body.data.template.version).toBe(1);
  });

  it('alone takes a schema, and says what is wrong with it', async () => {
    const { dryRun, token, path } = await begin();
    const wrong = await dryRun({ schema: { type: 'object', properties: 1 } });
    expect(wrong).toMatchObject({ status: 422, body: { error: { name: 'InvalidSchemaError' } } });
    const replay = await sluice.request('POST', `${path}/replays`, { token, json: { schema } });
    expect(replay).toMatchObject({ status: 400, body: { error: { details: [{ path: '/schema' }] } } });
  });

  it('of more uploads than it reads says how many it read', async () => {
    const { path, token, untilCounted, dryRun } = await begin();
    const json = Array.from({ length: 1_200 }, (_, at) => ({ total: `${at}` }));
    await sluice.request('POST', `${path}/data/batch`, { json, token });
    // A process keeps 500 at once.
    await untilCounted(1_200, 500);
    const { checked, conforming, pairs } = (await dryRun({ coerce: [{ path: '/total', to: 'number' }] })).body
      .data;
    expect(checked).toBeGreaterThanOrEqual(500);
    expect(checked).toBeLessThanOrEqual(1_000);
    expect([conforming, pairs.length]).toEqual([checked, 10]);
  });
});

it('groups have the counts of the last 24 hours', async () => {
  const { groups } = await begin({ total: 'free' }, { total: null }, {});
  const [first] = await groups();
  expect(first).toMatchObject({ path: '/total', count: 2 });
  expect(first.last_day).toHaveLength(24);
  // The hour may have ended meanwhile.
  expect(first.last_day.slice(-2).reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
});
