import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { read } from '../support/exports/parquet-files.ts';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const first = {
  type: 'object',
  properties: {
    celsius: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
    place: { type: 'object', properties: { lat: { type: 'number' } } },
  },
};
const second = {
  type: 'object',
  properties: {
    humidity: { type: 'integer' },
    celsius: { type: 'number' },
    site: {
      type: 'object',
      properties: { code: { type: 'string' }, since: { type: 'string', format: 'date' } },
    },
    place: { type: 'string' },
  },
  required: ['humidity'],
};
const payloads = [
  { celsius: 1, at: '2026-11-23T08:00:00+01:00', place: { lat: 1.5 } },
  { celsius: 2, note: 'open', site: 7 },
  { humidity: 40, celsius: 2.5, site: { code: 'x', since: '2026-11-01' }, place: 'Oslo' },
  { humidity: 41, at: '2026-11-23T08:00:00Z' },
];

/** With entries of two versions, two each. */
async function published() {
  const domain = await sluice.application(token, first);
  const upload = async (json: unknown) => {
    const { status, text } = await sluice.request('POST', `/applications/${domain}/data`, { token, json });
    expect(status, text).toBe(201);
  };
  for (const payload of payloads.slice(0, 2)) await upload(payload);
  const before = await columnsOf(domain);
  const { status, text } = await sluice.request('POST', `/applications/${domain}/schemas`, {
    token,
    json: { schema: second },
  });
  expect(status, text).toBe(200);
  for (const payload of payloads.slice(2)) await upload(payload);
  return { domain, before };
}

async function made(domain: string, json: object) {
  const client = exportClient(sluice.url, token);
  const id = await client.create(domain, json);
  const job = await client.over(domain, id);
  expect(job.error).toBeUndefined();
  const response = await fetch(`${sluice.url}${job.file.url}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { job, bytes: Buffer.from(await response.arrayBuffer()) };
}

const columnsOf = async (domain: string) => ({
  csv: (await made(domain, { format: 'csv' })).job.columns,
  parquet: (await made(domain, { format: 'parquet' })).job.columns,
});

it('no column moves or goes away because of another version, and the job names the versions', async () => {
  const { domain, before } = await published();
  const after = await columnsOf(domain);
  expect(before.csv).toEqual(['createdAt', 'celsius', 'at', 'place.lat', 'note', 'site']);
  expect(after.csv).toEqual([...before.csv, 'humidity', 'site.code', 'site.since', 'place']);
  expect(before.parquet).toEqual(['createdAt', 'celsius', 'at', 'place', 'note', 'site']);
  expect(after.parquet).toEqual([...before.parquet, 'humidity', 'site.code', 'site.since']);
  const { job } = await made(domain, { format: 'csv' });
  expect(job.versions).toEqual([1, 2]);
  const { body } = await sluice.request('GET', `/applications/${domain}/exports`, { token });
  expect(body.data[0]).not.toHaveProperty('versions');
  expect(body.data.at(-1)).not.toHaveProperty('versions');
});

it('CSV and NDJSON have the entries of all versions, and tell which', async () => {
  const { domain } = await published();
  const { bytes } = await made(domain, {
    meta: ['schema_version'],
    columns: ['celsius', 'humidity', 'place'],
  });
  expect(parse(bytes)).toEqual([
    ['schema_version', 'celsius', 'humidity', 'place'],
    ['1', '1', '', ''],
    ['1', '2', '', ''],
    ['2', '2.5', '40', 'Oslo'],
    ['2', '', '41', ''],
  ]);
  const lines = (await made(domain, { format: 'ndjson' })).bytes.toString().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    payloads.map((payload, at) => ({
      id: expect.any(String),
      createdAt: expect.any(String),
      schema_version: at < 2 ? 1 : 2,
      payload,
    })),
  );
});

it('Parquet has types that hold the values of all versions', async () => {
  const { domain } = await published();
  const { bytes } = await made(domain, { format: 'parquet', meta: ['schema_version'] });
  const rows = await read(bytes);
  const none = { at: null, place: null, note: null, site: null, humidity: null };
  const noSite = { 'site.code': null, 'site.since': null };
  const common = { createdAt: expect.any(String), celsius: null, ...none, ...noSite };
  expect(rows).toEqual([
    // Version 2 says nothing of `at`: all of its values are times all the same.
    { ...common, schema_version: 1, celsius: 1, at: 1_795_417_200_000_000, place: '{"lat":1.5}' },
    { ...common, schema_version: 1, celsius: 2, note: '"open"', site: '7' },
    {
      ...common,
      schema_version: 2,
      celsius: 2.5,
      humidity: 40,
      place: '"Oslo"',
      'site.code': 'x',
      'site.since': '2026-11-01T00:00:00.000Z',
    },
    { ...common, schema_version: 2, humidity: 41, at: 1_795_420_800_000_000 },
  ]);
});

it('a field of a later version has its type where all entries have, else it is text', async () => {
  const domain = await sluice.application(token, { type: 'object' });
  const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { token, json });
  await upload({ a: 1, b: 'one' });
  const properties = { a: { type: 'integer' }, b: { type: 'integer' } };
  await sluice.request('POST', `/applications/${domain}/schemas`, {
    token,
    json: { schema: { type: 'object', properties } },
  });
  await upload({ a: 2, b: 2 });
  const { bytes } = await made(domain, { format: 'parquet', columns: ['a', 'b'] });
  expect(await read(bytes)).toEqual([
    { a: 1, b: '"one"' },
    { a: 2, b: '2' },
  ]);
});
