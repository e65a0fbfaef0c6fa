import { writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { importClient, types } from '../support/import-client.ts';
import { sharedSluice } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';
import { ndjson } from '../support/upload-client.ts';

let client: ReturnType<typeof importClient>;

const sluice = await sharedSluice();
const { token } = await sluice.owner();
beforeEach(() => {
  client = importClient(sluice, token);
});

const schema = { type: 'object', properties: { n: { type: 'number' } } };
const wrapped = { query: '?entries=wrapped' };
const at = (day: number) => `2024-03-0${day}T10:00:00.000Z`;
const entry = (day: number, n: number) => ({ createdAt: at(day), payload: { n } });

const exported = async (domain: string) =>
  (await sluice.request('GET', `/applications/${domain}/export?format=ndjson`, { token })).text;
const listed = async (domain: string, query = '') => {
  const { body } = await sluice.request('GET', `/applications/${domain}/data${query}`, { token });
  return body.data;
};
const numbers = async (domain: string, query?: string) =>
  (await listed(domain, query)).result.map(({ payload }: { payload: { n: number } }) => payload.n);

/** Entries get new ids. */
const withoutIds = (file: string) => file.replace(/"id":"[0-9a-f]{28}",/g, '');

it('brings an NDJSON export into another application as it was, byte for byte', async () => {
  const first = await sluice.application(token, schema);
  const bodies = [
    '{"n":1,"id":9223372036854775807,"b":1,"a":"ü"}',
    '{"n":-0.10000000000000001e1}',
    '{"n":2,"payload":{"createdAt":"x","payload":[]}}',
  ];
  for (const body of bodies)
    expect((await sluice.request('POST', `/applications/${first}/data`, { body })).status).toBe(201);
  const file = await exported(first);
  const second = await sluice.application(token, schema);
  const { job, errors } = await client.complete(second, file, wrapped);
  expect([job.accepted, job.rejected, errors]).toEqual([3, 0, []]);
  expect(withoutIds(await exported(second))).toBe(withoutIds(file));
  const third = await sluice.application(token, schema);
  const array = `[${file.trim().split('\n').join(',')}]`;
  expect((await client.complete(third, array, { ...wrapped, type: types.json })).job.accepted).toBe(3);
  expect(withoutIds(await exported(third))).toBe(withoutIds(file));
});

it('is what sluice import --entries wrapped does', async () => {
  const domain = await sluice.application(token, schema);
  const user = commandLine({ url: sluice.url, token, app: domain });
  writeFileSync(user.at('a.ndjson'), ndjson([entry(2, 2), entry(1, 1)]));
  expect(await user.sluice(['import', user.at('a.ndjson'), '--entries', 'wrapped', '--json'])).toMatchObject({
    code: 0,
  });
  const { result } = await listed(domain);
  expect(result).toMatchObject([entry(2, 2), entry(1, 1)]);
});

it('puts entries among those that are there, whatever their order in the file', async () => {
  const domain = await sluice.application(token, schema);
  await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 9 } });
  const { job } = await client.complete(domain, ndjson([entry(3, 3), entry(1, 1), entry(2, 2)]), wrapped);
  expect(job.accepted).toBe(3);
  await client.complete(
    domain,
    ndjson([entry(2, 2.5), { ...entry(1, 0), id: 'x', schema_version: 7 }]),
    wrapped,
  );
  expect((await numbers(domain)).toSorted()).toEqual([0, 1, 2, 2.5, 3, 9]);
  expect((await numbers(domain))[0]).toBe(9);
  expect((await numbers(domain, `?from=${at(2)}&to=${at(3)}`)).toSorted()).toEqual([2, 2.5]);
  expect((await listed(domain)).pagination.total).toBe(6);
});

const twice = (path: string) => ({ path, keyword: 'uniqueKeys' });

it('refuses what has no time of its own, or a key twice, and reports it', async () => {
  const domain = await sluice.application(token, schema);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const lines: [line: string, message: RegExp, detail?: object][] = [
    ['{"payload":{"n":1}}', /createdAt must be an ISO 8601 timestamp/, { path: '/createdAt' }],
    ['{"createdAt":1700000000000,"payload":{"n":1}}', /createdAt must be an ISO 8601/],
    ['{"createdAt":"2024-02-30T00:00:00Z","payload":{"n":1}}', /createdAt must be an ISO 8601/],
    ['{"createdAt":"1969-12-31T23:59:59Z","payload":{"n":1}}', /before 1970/],
    [`{"createdAt":"${tomorrow}","payload":{"n":1}}`, /later than the import/],
    ['{"n":1}', /each line is \{"createdAt":…,"payload":\{…\}\}/],
    ['[1]', /each line is/],
    ['{"createdAt":', /the line is not JSON/],
    [`{"createdAt":"${at(1)}","payload":{"n":1},"payload":{"n":2}}`, /a key twice/, twice('/payload')],
    [`{"createdAt":"${at(1)}","p\\u0061yload":{"n":1},"payload":{"n":2}}`, /a key twice/, twice('/payload')],
    [`{"createdAt":"${at(1)}","createdAt":"${at(2)}","payload":{"n":1}}`, /a key twice/, twice('/createdAt')],
    [`{"createdAt":"${at(1)}","payload":[1]}`, /does not conform/, { path: '', keyword: 'type' }],
    [`{"createdAt":"${at(1)}","payload":{"n":1,"n":2}}`, /exactly as it is/, twice('/n')],
    [`{"createdAt":"${at(1)}","payload":{"n":"x"}}`, /does not conform/, { path: '/n', keyword: 'type' }],
  ];
  const file = [...lines.map(([line]) => line), JSON.stringify(entry(1, 1))].join('\n');
  const { job, errors } = await client.complete(domain, file, wrapped);
  expect([job.accepted, job.rejected]).toEqual([1, lines.length]);
  for (const [at, [line, message, detail]] of lines.entries()) {
    expect(errors[at]).toMatchObject({ line: at + 1, message: expect.stringMatching(message) });
    if (detail) expect(errors[at].details).toMatchObject([detail]);
    // Of a payload that does not conform the report has the payload, as of an upload.
    expect(errors[at].payload).toEqual(at < 11 ? line : JSON.parse(line).payload);
  }
  expect(await numbers(domain)).toEqual([1]);
});

it('is not taken as CSV', async () => {
  const domain = await sluice.application(token, schema);
  const { status, body } = await client.start(domain, 'n\n1\n', { ...wrapped, type: types.csv });
  expect([status, body.error.message]).toEqual([
    400,
    expect.stringContaining('entries=wrapped is not for CSV'),
  ]);
});

it('keeps totals and pages right where milestones were set already', async () => {
  const domain = await sluice.application(token, schema);
  const many = Array.from({ length: 6_000 }, (_, n) => ({
    createdAt: new Date(Date.parse(at(2)) + n * 1_000).toISOString(),
    payload: { n },
  }));
  await client.complete(domain, ndjson(many), wrapped);
  const id = (await client.store.applications.byDomain(domain))?.id as string;
  expect(await client.store.milestones.set(id, Date.now() - 60_000, 9)).toBe(2);
  await client.complete(domain, ndjson([entry(1, -1), { createdAt: at(2), payload: { n: -2 } }]), wrapped);
  expect((await listed(domain)).pagination.total).toBe(6_002);
  expect((await numbers(domain, '?start=5998&limit=10')).slice(-1)).toEqual([-1]);
  expect(await client.store.milestones.set(id, Date.now() - 60_000, 9)).toBe(2);
  expect((await listed(domain)).pagination.total).toBe(6_002);
  expect(await numbers(domain, '?start=10&limit=2')).toEqual([5_989, 5_988]);
});
