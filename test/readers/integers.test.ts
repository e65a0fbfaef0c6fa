import { readExactJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sluice, startSluice, until } from '../support/sluice.ts';
import { readByPython } from './python.ts';

const count = Number(process.env.READERS_INTEGERS ?? 10_000);
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
const safe = 2n ** 53n;
const borders = [least, least + 1n, most, most - 1n, -1n, 0n, 1n, 2n ** 31n, -(2n ** 31n), 2n ** 60n].concat(
  [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [safe + step, -safe + step]),
);

let sluice: Sluice;
let token: string;

beforeAll(async () => {
  sluice = await startSluice();
  ({ token } = await sluice.owner());
});
afterAll(() => sluice.stop());

const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const toLine = (id: bigint) => `{"id":${id},"any":{"of":[${id}]}}`;
const post = (path: string, type: string, body: string) =>
  sluice.request('POST', path, { token, body, headers: { 'content-type': type } });
const get = async (path: string) => {
  const { status, text } = await sluice.request('GET', path, { token });
  expect(status, text.slice(0, 300)).toBe(200);
  return text;
};

it('64-bit integers come back digit by digit, however they came and wherever they are read', async () => {
  const seed = Number(process.env.READERS_SEED ?? Date.now() % 2 ** 31);
  const random = fc.sample(fc.bigInt({ min: least, max: most }), { seed, numRuns: count });
  const ids = [...borders, ...random];
  const domain = await sluice.application(token, schema);
  const data = `/applications/${domain}/data`;

  for (const id of borders) {
    const { status, text } = await post(data, 'application/json', toLine(id));
    expect([status, text]).toEqual([201, expect.stringContaining(`"payload":${toLine(id)}`)]);
  }
  const half = borders.length + count / 2;
  const batch = ids.slice(borders.length, half).map(toLine).join('\n');
  expect((await post(`${data}/batch`, 'application/x-ndjson', batch)).body.data).toMatchObject({
    accepted: count / 2,
    rejected: 0,
  });
  const rest = ids.slice(half).map(toLine).join('\n');
  const created = await post(`/applications/${domain}/imports`, 'application/x-ndjson', rest);
  expect(created.status).toBe(202);
  const job = `/applications/${domain}/imports/${created.body.data.id}`;
  await until(async () => (await sluice.request('GET', job, { token })).body.data.state === 'completed');

  const expected = ids.map(String).sort();
  const listed: string[] = [];
  for (let start = 0; start < ids.length; start += 1_000) {
    const page = readExactJson(await get(`${data}?start=${start}&limit=1000`)) as {
      data: { result: { payload: { id: bigint; any: { of: bigint[] } } }[] };
    };
    for (const { payload } of page.data.result) {
      listed.push(String(payload.id));
      expect({ seed, of: payload.any.of }).toEqual({ seed, of: [payload.id] });
    }
  }
  expect(listed.sort()).toEqual(expected);

  for (const id of [...borders, ...random.slice(0, 20)]) {
    const filter = encodeURIComponent(`{"id":${id}}`);
    expect(await get(`${data}?filter=${filter}`), `${seed}`).toContain(`"id":${id},`);
    const above = encodeURIComponent(`{"id":{"gt":${id}}}`);
    const { pagination } = JSON.parse(await get(`${data}?limit=1&filter=${above}`)).data;
    expect({ seed, id, above: pagination.total }).toEqual({
      seed,
      id,
      above: ids.filter((other) => other > id).length,
    });
  }

  const csv = (await get(`/applications/${domain}/export?columns=id,any.of`)).split('\r\n').slice(1, -1);
  expect(csv.map((line) => line.split(',')[0]).sort()).toEqual(expected);
  expect(csv.map((line) => /\[(-?\d+)\]/.exec(line)?.[1]).sort()).toEqual(expected);
  const lines = (await get(`/applications/${domain}/export?format=ndjson`)).trim().split('\n');
  expect(lines.map((line) => /"id":(-?\d+),/.exec(line)?.[1]).sort()).toEqual(expected);

  const parquet = await fetch(new URL(`/api/applications/${domain}/export?format=parquet`, sluice.url), {
    headers: { authorization: `Bearer ${token}` },
  });
  const read = await readByPython('read_parquet.py', [new Uint8Array(await parquet.arrayBuffer())]);
  const rows = readExactJson(read) as { id: number | bigint }[];
  expect(rows.map(({ id }) => String(id)).sort()).toEqual(expected);
});

it.each([most + 1n, least - 1n, 2n ** 64n - 1n])('%s is refused by name', async (id) => {
  const domain = await sluice.application(token, schema);
  const { status, body } = await post(`/applications/${domain}/data`, 'application/json', `{"id":${id}}`);
  expect(status).toBe(422);
  expect(body.error.details).toEqual([
    {
      path: '/id',
      keyword: 'integerRange',
      message: 'this integer is beyond 64 bits (-2^63 to 2^63 - 1): send it as a string',
    },
  ]);
});
