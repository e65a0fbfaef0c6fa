import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob, ExportShape } from '@sluice/jobs/record/export-record.ts';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import { largeNumbers } from '@sluice/store/applications/fields.ts';
import { highestId } from '@sluice/store/entries/entry-id.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileOf } from '../support/export-client.ts';
import { claim, createClaimed, writerOn } from '../support/export-writer.ts';
import { readExact } from '../support/exports/parquet-files.ts';
import { payloadOf } from '../support/payload-of.ts';
import { runs } from '../support/runs.ts';
import { sharedSluice, storeOf, until } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const schema = {
  type: 'object',
  properties: {
    i: { type: 'integer' },
    n: { type: 'number' },
    list: { type: 'array', items: { type: 'integer' } },
    within: { type: 'object', properties: { i: { type: 'integer' } } },
  },
};

async function bytesOf(path: string): Promise<{ status: number; bytes: Buffer }> {
  const response = await fetch(new URL(`/api${path}`, sluice.url), {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** JSON with the digits of each number as a text. */
const withDigits = (json: string) =>
  JSON.parse(json, ((_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? source : value) as (key: string, value: unknown) => unknown);

/** All numbers of a listed payload, or of a row of Parquet, in the order of the columns. */
const numbersOf = (row: Record<string, unknown>, shown: (value: unknown) => unknown) => {
  const within = row.within as { i?: unknown } | null | undefined;
  const list = row.list as unknown[] | null | undefined;
  return [row.i, row.n, row.any, within?.i, ...(list ?? [])].map((value) => shown(value) ?? null);
};

const printed = (value: unknown) =>
  typeof value === 'bigint' ? String(value) : typeof value === 'number' ? JSON.stringify(value) : value;

async function expectEqual(lines: string[]): Promise<string> {
  const domain = await sluice.application(token, schema);
  const { status, text } = await sluice.request('POST', `/applications/${domain}/data/batch`, {
    body: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  // What cannot be kept as it was sent is refused; the rest has to come out as it is listed.
  expect([201, 207, 422], text).toContain(status);
  const list = withDigits((await bytesOf(`/applications/${domain}/data?limit=1000`)).bytes.toString());
  const listed: Record<string, unknown>[] = list.data.result
    .map((entry: { payload: object }) => entry.payload)
    .reverse();
  const parquet = await bytesOf(`/applications/${domain}/export?format=parquet`);
  expect(parquet.status, parquet.bytes.toString('latin1', 0, 300)).toBe(200);
  const rows = (await readExact(parquet.bytes)).map((row) => JSON.stringify(numbersOf(row, printed)));
  expect(rows).toEqual(listed.map((row) => JSON.stringify(numbersOf(row, (value) => value))));
  const csv = (await bytesOf(`/applications/${domain}/export?columns=i`)).bytes.toString();
  expect(csv.split('\r\n').slice(1, -1)).toEqual(listed.map(({ i }) => i ?? '""'));
  return domain;
}

it.each([
  ['72057594037927940'],
  ['1152921504606847000'],
  ['9007199254740993'],
  ['9223372036854775807'],
  ['9223372036854775808'],
  ['1e19'],
  ['-1e300'],
])('of %s, where it is taken, has what the list shows', async (literal) => {
  await expectEqual([
    `{"i":${literal},"n":${literal},"any":${literal},"within":{"i":${literal}},"list":[1,${literal}]}`,
    '{"i":1,"n":1.5,"list":[]}',
  ]);
});

/** As JSON prints it, so that it is taken. */
const shortest = (value: bigint | number) => JSON.stringify(Number(value));
const integer = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(shortest) },
  { weight: 3, arbitrary: fc.maxSafeInteger().map(String) },
  {
    weight: 2,
    arbitrary: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => shortest(Math.trunc(value))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.nat({ max: 300 }))
      .map(([digits, power]) => `${digits}e${power}`),
  },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) },
);
const number = fc.oneof(
  integer,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const line = fc
  .record({ i: integer, n: number, any: number, item: integer, inner: integer })
  .map(
    ({ i, n, any, item, inner }) =>
      `{"i":${i},"n":${n},"any":${any},"list":[${item}],"within":{"i":${inner}}}`,
  );

it('of numbers of any size never fails, and has what the list shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
      await expectEqual(lines);
    }),
    runs(12),
  );
});

it('goes on after an upload that no integer column holds', async () => {
  const domain = await expectEqual(['{"i":1}']);
  for (const json of ['{"i":1e19}', '{"i":9007199254740992}']) {
    const { status } = await sluice.request('POST', `/applications/${domain}/data`, {
      body: json,
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(201);
    const { status: exported, bytes } = await bytesOf(`/applications/${domain}/export?format=parquet`);
    expect(exported, bytes.toString('latin1', 0, 300)).toBe(200);
  }
});

it.each<[string, (path: string) => Promise<number>]>([
  [
    'a large upload, which a thread validates',
    async (path) => {
      const body = `{"i":1e19,"text":"${'x'.repeat(200_000)}"}`;
      return (await sluice.request('POST', `${path}/data`, { body })).status;
    },
  ],
  [
    'an import',
    async (path) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const call = { token, body: '{"i":1e19}\n{"i":2}\n', headers };
      const { status, body } = await sluice.request('POST', `${path}/imports`, call);
      const job = async () =>
        (await sluice.request('GET', `${path}/imports/${body.data.id}`, { token })).body;
      await until(async () => (await job()).data.state === 'completed');
      return status;
    },
  ],
])('knows of large numbers that came with %s', async (_what, send) => {
  const path = `/applications/${await sluice.application(token, schema)}`;
  expect([201, 202]).toContain(await send(path));
  const { status, bytes } = await bytesOf(`${path}/export?format=parquet`);
  expect([status, (await readExact(bytes))[0]?.i]).toEqual([200, 1e19]);
});

/** An application with these payloads, and what a job to export them has. */
async function filled(payloads: object[], properties: object = schema.properties) {
  const domain = await sluice.application(token, { type: 'object', properties });
  for (const json of payloads)
    expect((await sluice.request('POST', `/applications/${domain}/data`, { json })).status).toBe(201);
  const path = `/applications/${domain}/exports`;

  /** A job that is over. */
  async function exported(): Promise<ExportJob> {
    const { body } = await sluice.request('POST', path, { token, json: { format: 'parquet' } });
    const job = () => storeOf(sluice).jobs.get(body.data.id) as Promise<ExportJob>;
    await until(async () => !['waiting', 'active'].includes((await job()).state));
    return job();
  }

  return { domain, exported };
}

/** The file of such a job again, by the process of the test. */
async function written(
  { application, owner, domain, options, cut, leafCount, hasLarge }: ExportJob,
  changes: Partial<ExportJob> = {},
  onShape: (shape: ExportShape) => unknown = () => undefined,
) {
  const store = storeOf(sluice);
  const same = {
    application,
    owner,
    domain,
    options,
    cut,
    version: 1,
    leafCount,
    hasLarge,
    transient: false,
  };
  const job = await createClaimed(store, { ...same, ...changes }, 60_000);
  const { exports } = store.jobs;
  const observed: JobStore['exports'] = {
    ...exports,
    async setShape(id, fence, shape) {
      await onShape(shape);
      return exports.setShape(id, fence, shape);
    },
  };
  const manifest = await writerOn({ ...store, jobs: { ...store.jobs, exports: observed } })(job, claim);
  return { manifest, id: job.id };
}

it.each<[string, object, object, unknown]>([
  ['of small numbers', { i: 2 ** 53 - 1, n: 0.1 }, schema.properties, undefined],
  ['of large numbers', { i: 2 ** 53, n: 1 }, schema.properties, ['integer', 'number', 'integer', 'integer']],
  [
    'where the schema tells all types',
    { i: 7, x: 1e19 },
    {
      i: { type: 'integer', minimum: 0, exclusiveMaximum: 2 ** 62 },
      kind: { type: 'integer', enum: [1, 2] },
    },
    undefined,
  ],
])(
  'reads all entries beforehand only where types hang on them: %s',
  async (_what, payload, properties, numbers) => {
    const { exported } = await filled([payload], properties);
    const shapes: (ExportShape | undefined)[] = [];
    await written(await exported(), {}, (shape) => shapes.push(shape));
    expect(shapes.map((shape) => shape?.kinds)).toEqual(numbers ? [numbers] : []);
  },
);

describe('an entry that comes while a file is written', () => {
  const rowsOf = async (store: Store, id: string) =>
    (await readExact(await fileOf(store, id))).map(({ i }) => i);
  /** As of an import that goes on: their time is that of its beginning. */
  const cut = highestId;
  const late = payloadOf({ i: 1e19 });

  it.each([
    ['after the job was created', [1]],
    ['after all entries were read once', [1, 2 ** 53]],
  ])('is left out where the column of its number has its type already: %s', async (_when, values) => {
    const { exported } = await filled(values.map((i) => ({ i })));
    const job = await exported();
    const { application, hasLarge } = job;
    expect(hasLarge).toBe(values.length > 1);
    const store = storeOf(sluice);
    async function comeLate() {
      await store.fields.add(application, [largeNumbers]);
      await store.entries.insert([{ application, ...late }]);
    }
    if (!hasLarge) await comeLate();
    const { manifest, id } = await written(job, { cut }, comeLate);
    expect(manifest).toMatchObject({ rows: values.length });
    expect(await rowsOf(store, id)).toEqual(values.map(BigInt));
  });

  it('fails one export where its number is not on record, and none after that', async () => {
    const { exported } = await filled([{ i: 1 }]);
    const store = storeOf(sluice);
    const { application } = await exported();
    await store.entries.insert([{ application, ...late }]);
    expect(await exported()).toMatchObject({ state: 'failed', error: expect.stringContaining('at /i') });
    const { id, state } = await exported();
    expect([state, await rowsOf(store, id)]).toEqual(['completed', [1, 1e19]]);
  });
});
