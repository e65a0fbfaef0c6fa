import { afterAll, expect, it } from 'vitest';
import { type Call, startSluice } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

const sluice = await startSluice({ questions: true });
afterAll(() => sluice.stop());

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    celsius: { type: ['number', 'null'] },
    seen: { type: 'string', format: 'date-time' },
    wind: { type: 'object', properties: { speed: { type: 'integer' } } },
    tags: { type: 'array' },
  },
};

async function application() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const call = (method: string, where: string, options: Call = {}) =>
    sluice.request(method, `/applications/${domain}${where}`, { token, ...options });
  return {
    call,
    upload: (...entries: object[]) => call('POST', '/data/batch', { json: entries }),
    user: commandLine({ url: sluice.url, token, app: domain }),
  };
}

/** Times that are equal are one value. */
const oneOfTheTexts = expect.stringMatching(/^2026-05-01T(10:00:00\+02:00|08:00:00Z)$/);
const place = (value: string, count: number) => ({ value, count });

it('describes the fields of all entries, or of those that a filter selects', async () => {
  const { call, upload } = await application();
  await upload(
    { place: 'Oslo', celsius: 1.5, seen: '2026-05-01T10:00:00+02:00', wind: { speed: 3 }, note: 7 },
    { place: 'Oslo', celsius: null, seen: '2026-05-01T08:00:00Z', tags: ['a'] },
    { place: 'Rome', celsius: 12.25, note: '7' },
    { place: 'Oslo', note: true },
  );
  const { body, headers } = await call('GET', '/fields');
  expect(Date.parse(headers.get('sluice-as-of') as string)).toBeGreaterThan(0);
  expect(body.data).toEqual([
    {
      path: 'place',
      types: [{ type: 'string', share: 1 }],
      null_share: 0,
      distinct: 2,
      top: [place('Oslo', 3), place('Rome', 1)],
    },
    {
      path: 'celsius',
      types: [{ type: 'number', share: 0.5 }],
      null_share: 0.5,
      distinct: 2,
      top: [
        { value: 1.5, count: 1 },
        { value: 12.25, count: 1 },
      ],
      min: 1.5,
      max: 12.25,
      histogram: expect.arrayContaining([{ from: 12, to: 13, count: 1 }]),
    },
    {
      path: 'seen',
      types: [{ type: 'string', share: 0.5 }],
      null_share: 0.5,
      distinct: 1,
      top: [place(oneOfTheTexts, 2)],
      min: oneOfTheTexts,
      max: oneOfTheTexts,
      histogram: [{ from: '2026-05-01T08:00:00.000Z', to: '2026-05-01T08:00:00.000Z', count: 2 }],
    },
    {
      path: 'wind.speed',
      types: [{ type: 'number', share: 0.25 }],
      null_share: 0.75,
      distinct: 1,
      top: [{ value: 3, count: 1 }],
      min: 3,
      max: 3,
      histogram: [{ from: 3, to: 3, count: 1 }],
    },
    { path: 'tags', types: [{ type: 'array', share: 0.25 }], null_share: 0.75, distinct: 0, top: [] },
    {
      path: 'note',
      types: [
        { type: 'string', share: 0.25 },
        { type: 'number', share: 0.25 },
        { type: 'boolean', share: 0.25 },
      ],
      null_share: 0.25,
      distinct: 3,
      top: [
        { value: '7', count: 1 },
        { value: 7, count: 1 },
        { value: true, count: 1 },
      ],
      min: 7,
      max: 7,
      histogram: [{ from: 7, to: 7, count: 1 }],
    },
  ]);
  const filter = encodeURIComponent(JSON.stringify({ celsius: { gt: 5 } }));
  const filtered = await call('GET', `/fields?filter=${filter}`);
  expect(filtered.body.data[0]).toMatchObject({ path: 'place', top: [place('Rome', 1)] });
  const later = await call('GET', '/fields?from=2999-01-01');
  expect(later.body.data[0]).toEqual({ path: 'place', types: [], null_share: 1, distinct: 0, top: [] });
});

it('has no fields where there is no entry', async () => {
  const { call } = await application();
  expect((await call('GET', '/fields')).body.data).toEqual([]);
});

it('counts entries by the values of a field, and those that a filter selects', async () => {
  const { call, upload } = await application();
  const { id, key } = (await call('POST', '/keys', { json: { name: 'k' } })).body.data;
  const many = Array.from({ length: 12 }, (_, n) => ({ place: `p${n}`, celsius: n }));
  await upload(...many, ...many.slice(2), { place: 'p2' }, {}, { celsius: 1, key: 'x' });
  await call('POST', '/data', { json: { place: 'p2' }, token: undefined, headers: { 'x-api-key': key } });
  const day = '?step=day&from=2999-01-01';
  expect((await call('GET', `/stats${day}&to=2999-01-02&by=place`)).body.data).toEqual([]);
  const today = `?step=day&from=${new Date().toISOString()}`;
  const rows = async (query: string) => {
    const { body, status, headers } = await call('GET', `/stats${today}${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(Date.parse(headers.get('sluice-as-of') as string)).toBeGreaterThan(0);
    return body.data.map(({ at, ...row }: { at: string }) => row);
  };
  expect(await rows('&by=place')).toEqual([
    { value: 'p2', accepted: 4 },
    ...['p10', 'p11', ...Array.from({ length: 7 }, (_, n) => `p${n + 3}`)].map((value) => ({
      value,
      accepted: 2,
    })),
    { value: null, accepted: 2 },
    { value: null, rest: true, accepted: 2 },
  ]);
  expect(await rows('&by=/key')).toEqual([
    { value: 'x', accepted: 1 },
    { value: null, accepted: 25 },
  ]);
  const filter = (conditions: object) => `&filter=${encodeURIComponent(JSON.stringify(conditions))}`;
  expect(await rows(`&by=place&key=${id}`)).toEqual([{ value: 'p2', accepted: 1 }]);
  expect(await rows(filter({ celsius: { gte: 11 } }))).toEqual([{ accepted: 2 }]);
  expect(await rows(`&by=celsius${filter({ place: 'p11' })}`)).toEqual([{ value: 11, accepted: 2 }]);
});

it('shows fields and counts of values on the command line', async () => {
  const { upload, user } = await application();
  await upload({ place: 'Oslo', celsius: -3.5 }, { place: 'Rome', celsius: 12 }, { place: 'Rome' }, {});
  const print = async (...words: string[]) => (await user.sluice(words)).stdout.replaceAll(/ {2,}/g, ' | ');
  expect(await print('fields', '--filter', '{"place":{"exists":true}}')).toMatch(
    /^path \| types \| filled \| distinct \| range \| top *\nplace \| string \| 100% \| 2 \|.* Rome \(2\), Oslo \(1\)\n/,
  );
  const fields = JSON.parse((await user.sluice(['fields', '--json'])).stdout);
  expect(fields[1]).toMatchObject({ path: 'celsius', null_share: 0.5, min: -3.5, max: 12 });
  const rows = (await print('stats', '--step', 'day', '--by', 'place')).split('\n');
  expect(rows.map((row) => row.split(' | ').slice(1).join(': '))).toEqual([
    'value: accepted',
    'Rome: 2',
    'Oslo: 1',
    'null or missing: 1',
    '',
  ]);
  expect(await print('stats', '--step', 'day', '--filter', '{"celsius":{"lt":0}}')).toMatch(/Z \| 1\n$/);
});
