import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';
import { readByPython } from './python.ts';

const perVersion = 40;

/** Three versions of a schema: a field comes, a type widens, a number becomes text. */
const versions = [
  { n: { type: 'integer' }, day: { type: 'string', format: 'date' } },
  {
    n: { type: 'number' },
    day: { type: 'string', format: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  {
    n: { type: 'number' },
    at: { type: 'string', format: 'date-time' },
    place: { type: 'string' },
    code: { type: 'integer' },
  },
].map((properties) => ({ type: 'object', properties }));

interface Payload {
  n?: number;
  day?: string;
  tags?: string[];
  at?: string;
  place?: string;
  code?: number;
}

const time = fc.date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true });
const day = time.map((at) => at.toISOString().slice(0, 10));
const text = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((value) => !/[\0\r]|^\s*[=+\-@']/.test(value));
const integer = fc.integer();
const optional = { requiredKeys: [], noNullPrototype: true };
const payloadsOf: fc.Arbitrary<Payload>[] = [
  fc.record({ n: integer, day }, optional),
  fc.record(
    { n: fc.oneof(integer, fc.constant(0.5)), day, tags: fc.array(text, { maxLength: 3 }) },
    optional,
  ),
  fc.record({ n: integer, at: time.map((at) => at.toISOString()), place: text, code: integer }, optional),
];

const microsOf = (time: string) => Date.parse(time) * 1_000;

const readers = ['duckdb', 'pandas', 'polars'] as const;
/** Of the columns, in each reader's words. */
const types = {
  duckdb: [
    ...[
      'TIMESTAMP WITH TIME ZONE',
      'VARCHAR',
      'INTEGER',
      'VARCHAR',
      'VARCHAR',
      'DOUBLE',
      'DATE',
      'VARCHAR[]',
    ],
    ...['TIMESTAMP WITH TIME ZONE', 'VARCHAR', 'BIGINT'],
  ],
  pandas: [
    ...['timestamp[ms, tz=UTC][pyarrow]', 'string[pyarrow]', 'int32[pyarrow]'],
    ...['string[pyarrow]', 'string[pyarrow]', 'double[pyarrow]'],
    ...[
      'date32[day][pyarrow]',
      'list<element: string>[pyarrow]',
      'timestamp[us, tz=UTC][pyarrow]',
      'string[pyarrow]',
    ],
    'int64[pyarrow]',
  ],
  polars: [
    ...[
      "Datetime(time_unit='ms', time_zone='UTC')",
      'String',
      'Int32',
      'String',
      'String',
      'Float64',
      'Date',
      'List(String)',
    ],
    ...["Datetime(time_unit='us', time_zone='UTC')", 'String', 'Int64'],
  ],
};

/** What was uploaded, oldest first, with the version of each. */
async function uploadAll(sluice: Sluice, token: string, domain: string, seed: number) {
  const uploaded: { payload: Payload; version: number }[] = [];
  for (const [at, arbitrary] of payloadsOf.entries()) {
    if (at > 0) {
      const json = { schema: versions[at] };
      const { status, text } = await sluice.request('POST', `/applications/${domain}/schemas`, {
        token,
        json,
      });
      expect(status, text).toBe(200);
    }
    const payloads = fc.sample(arbitrary, { seed, numRuns: perVersion });
    const { status, text } = await uploadClient(sluice, token).batch(domain, ndjson(payloads));
    expect(status, text).toBe(201);
    uploaded.push(...payloads.map((payload) => ({ payload, version: at + 1 })));
  }
  return uploaded;
}

it('exports over several versions, with ids and a filter, have the same types and cells for DuckDB, pandas and polars', async () => {
  const seed = Number(process.env.READERS_SEED ?? Date.now() % 2 ** 31);
  const sluice = await startSluice();
  onTestFinished(sluice.stop);
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, versions[0]);
  const uploaded = await uploadAll(sluice, token, domain, seed);
  const path = `/applications/${domain}/data?limit=1000`;
  const listed = (await sluice.request('GET', path, { token })).body.data.result.reverse();
  expect(listed.map(({ payload }: { payload: Payload }) => payload)).toEqual(
    uploaded.map(({ payload }) => payload),
  );

  const client = exportClient(sluice.url, token);
  async function made(options: object): Promise<Buffer> {
    const id = await client.create(domain, { meta: ['id', 'schema_version', 'source', 'key'], ...options });
    const { file } = await client.over(domain, id);
    const response = await fetch(`${sluice.url}${file.url}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return Buffer.from(await response.arrayBuffer());
  }
  const filter = { n: { gte: 0 } };
  const files = await Promise.all(
    [undefined, filter].flatMap((filter) => ['csv', 'parquet'].map((format) => made({ format, filter }))),
  );
  const read = (await readByPython('read_exports.py', files))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  const meta = ['id', 'schema_version', 'source', 'key'];
  const columns = ['createdAt', ...meta, 'n', 'day', 'tags', 'at', 'place', 'code'];
  const isFound = [() => true, ({ n = -1 }: Payload) => n >= 0];
  for (const [i, select] of isFound.entries()) {
    const rows = uploaded
      .map((entry, at) => ({ ...entry, ...listed[at] }))
      .filter(({ payload }) => select(payload));
    const cells = rows.map(({ id, createdAt, version, payload: { n, day, tags, at, place, code } }) => [
      ...[
        microsOf(createdAt),
        id,
        version,
        'batch',
        undefined,
        n,
        day,
        tags,
        at && microsOf(at),
        place,
        code,
      ],
    ]);
    const texts = rows.map(({ id, createdAt, version, payload: { n, day, tags, at, place, code } }) => [
      ...[createdAt, id, version, 'batch', undefined, n, day, tags && JSON.stringify(tags), at, place, code],
    ]);
    for (const [at, reader] of readers.entries()) {
      const parquet = read[6 * i + 3 + at];
      const expected = {
        columns,
        types: types[reader],
        rows: cells.map((row) => row.map((cell) => cell ?? null)),
      };
      expect({ seed, i, reader, ...parquet }).toEqual({ seed, i, reader, ...expected });
      const csv = read[6 * i + at];
      const text = { columns, rows: texts.map((row) => row.map((cell = '') => `${cell}`)) };
      expect({ seed, i, reader, columns: csv.columns, rows: csv.rows }).toEqual({ seed, i, reader, ...text });
    }
  }
});
