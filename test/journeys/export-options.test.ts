import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { toText } from '@sluice/store/entries/entry-filter.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { exportClient, fileOf } from '../support/export-client.ts';
import { claim, createClaimed, writerOn } from '../support/export-writer.ts';
import { read } from '../support/exports/parquet-files.ts';
import { payloadOf } from '../support/payload-of.ts';
import { sharedSluice, storeOf } from '../support/sluice.ts';
import { unzip } from '../support/unzip.ts';

const schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    id: { type: 'string' },
    addr: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'integer' } } },
    tags: { type: 'array', items: { type: 'object', properties: { t: { type: 'string' } } } },
    any: {},
    tree: { $ref: '#/$defs/tree' },
  },
  $defs: { tree: { type: 'object', properties: { below: { $ref: '#/$defs/tree' } } } },
};
const count = 5_000;
const payload = (n: number) => ({
  n,
  id: `own ${n}`,
  addr: { city: `c${n % 3}`, zip: n },
  tags: [{ t: 'x' }],
  any: { deep: n },
  tree: { below: { leaf: n } },
  'a.b': n,
  other: { x: n },
});

async function get(query: string, at = domain) {
  const response = await fetch(`${sluice.url}/api/applications/${at}/export?${query}`, {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, bytes, text: bytes.toString() };
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const rowsOf = (text: string) => parse(text) as [string[], string[], ...string[][]];
const filterOf = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`;

async function made(json: object, at = domain) {
  const client = exportClient(sluice.url, token);
  const id = await client.create(at, json);
  const job = await client.over(at, id);
  expect(job.error).toBeUndefined();
  return { job, text: await client.file(at, id) };
}

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token, schema);
const lines = Array.from({ length: count }, (_, n) => JSON.stringify(payload(n)));
await sluice.request('POST', `/applications/${domain}/data/batch`, {
  body: lines.join('\n'),
  headers: { 'content-type': 'application/x-ndjson' },
});

describe('columns', () => {
  it.each(['csv', 'ndjson', 'parquet'])('that a job tells can be asked for: %s', async (format) => {
    const { columns } = (await made({ format })).job;
    expect(columns.length).toBeGreaterThan(6);
    const whole = await made({ format, columns });
    expect(whole.job.columns).toEqual(columns);
    for (const name of columns) expect((await made({ format, columns: [name] })).job.columns).toEqual([name]);
  });

  it('of Parquet have all that is below them, where they are not named down to the leaf', async () => {
    const [first] = await read((await get('format=parquet&columns=addr,tags')).bytes);
    expect(first).toEqual({ addr: { city: 'c0', zip: 0 }, tags: [{ t: 'x', _extra: null }] });
    const [leaf] = await read((await get('format=parquet&columns=addr.zip,tree')).bytes);
    expect(leaf).toEqual({ addr: { zip: 0 }, tree: { below: '{"leaf":0}' } });
  });

  it('that Parquet alone has are refused in CSV', async () => {
    expect((await get('columns=addr')).status).toBe(400);
  });
});

describe('meta', () => {
  const idOf = async (n: number): Promise<EntryId> => {
    const path = `/applications/${domain}/data?limit=1&${filterOf({ n })}`;
    return (await sluice.request('GET', path, { token })).body.data.result[0].id;
  };

  it('adds columns behind createdAt to CSV, whatever else is chosen', async () => {
    const { text } = await get('meta=schema_version,id');
    const [header, first] = rowsOf(text);
    expect(header.slice(0, 5)).toEqual(['createdAt', 'schema_version', 'id', 'n', '/id']);
    expect(first.slice(1, 5)).toEqual(['1', await idOf(0), '0', 'own 0']);
    const some = rowsOf((await get('meta=id&columns=n,createdAt,/id')).text);
    expect(some[0]).toEqual(['n', 'createdAt', 'id', '/id']);
    expect(rowsOf((await get('meta=id&columns=n')).text).slice(0, 2)).toEqual([
      ['id', 'n'],
      [await idOf(0), '0'],
    ]);
  });

  it('is in the table of the entries alone, where arrays have tables', async () => {
    const files = await unzip((await get('meta=id&arrays=rows')).bytes);
    const [header, first] = rowsOf(String(files.get('entries.csv')));
    expect(header.slice(0, 4)).toEqual(['entry', 'createdAt', 'id', 'n']);
    expect(first[2]).toBe(first[0]);
    expect(rowsOf(String(files.get('tags.csv'))).slice(0, 1)).toEqual([['entry', 'index', 't']]);
    const elements = rowsOf((await get('meta=id&arrays=columns')).text);
    expect(elements[0]?.slice(0, 3)).toEqual(['createdAt', 'id', 'n']);
  });

  it('adds columns to Parquet', async () => {
    const options = { format: 'parquet', meta: ['id', 'schema_version'], columns: ['createdAt', 'n'] };
    expect((await made(options)).job.columns).toEqual(['createdAt', 'id', 'schema_version', 'n']);
    const [, , third] = await read((await get('format=parquet&meta=id,schema_version')).bytes);
    expect(third).toMatchObject({ id: await idOf(2), schema_version: 1, n: 2, '/id': 'own 2' });
  });

  it('makes NDJSON tell the version, beside the id that it has anyway', async () => {
    const [first] = linesOf((await get('format=ndjson&meta=schema_version')).text);
    expect(first).toEqual({
      id: await idOf(0),
      schema_version: 1,
      createdAt: expect.any(String),
      payload: payload(0),
    });
  });

  it.each(['meta=n', 'meta=id,id', 'meta=', 'meta=id&columns=id'])('is refused as %s', async (query) => {
    const { status, text } = await get(query);
    expect([status, JSON.parse(text).error.name]).toEqual([400, 'InvalidRequestError']);
  });
});

describe('filter', () => {
  const some = { 'addr.city': { contains: 'C1' }, n: { gte: 1_000, lt: 4_000 } };
  const expected = Array.from({ length: count }, (_, n) => n).filter(
    (n) => n % 3 === 1 && n >= 1_000 && n < 4_000,
  );

  it.each(['csv', 'ndjson', 'parquet'])('leaves the entries that match: %s', async (format) => {
    const { bytes, text } = await get(`format=${format}&${filterOf(some)}`);
    const found =
      format === 'csv'
        ? rowsOf(text)
            .slice(1)
            .map(([, n]) => Number(n))
        : format === 'ndjson'
          ? linesOf(text).map((line) => line.payload.n)
          : (await read(bytes)).map(({ n }) => n);
    expect(found).toEqual(expected);
  });

  it('is taken in bodies as an object or as text, digit by digit, beside a period', async () => {
    const at = await sluice.application(token);
    const large = '9007199254740993';
    for (const n of [large, '9007199254740992', '7'])
      await sluice.request('POST', `/applications/${at}/data`, { body: `{"n":${n}}` });
    const body = `{"format":"ndjson","from":"2020-01-01","filter":{"n":${large}}}`;
    const headers = { 'content-type': 'application/json' };
    const path = `/applications/${at}/exports`;
    const client = exportClient(sluice.url, token);
    const created = await sluice.request('POST', path, { token, body, headers });
    expect(created.status, created.text).toBe(202);
    const { id } = created.body.data;
    expect(await client.over(at, id)).toMatchObject({ progress: { done: 1, total: 1 }, file: { rows: 1 } });
    expect(await client.file(at, id)).toContain(`"payload":{"n":${large}}`);
    const { text } = await made({ format: 'ndjson', filter: '{"n":7}', to: '2020-01-01' }, at);
    expect(text).toBe('');
    expect(linesOf((await made({ format: 'ndjson', filter: '{"n":7}' }, at)).text)).toHaveLength(1);
  });

  it('leaves columns and tables of arrays out that no matching entry needs', async () => {
    const at = await sluice.application(token);
    for (const json of [{ a: 1, list: [{ x: 1 }, { x: 2 }] }, { a: 2, list: [{ y: 3 }] }, { a: 2 }])
      await sluice.request('POST', `/applications/${at}/data`, { json });
    const files = await unzip((await get(`arrays=rows&${filterOf({ a: 2 })}`, at)).bytes);
    expect(rowsOf(String(files.get('list.csv'))).map(([, ...cells]) => cells)).toEqual([
      ['index', 'y'],
      ['0', '3'],
    ]);
    expect(rowsOf(String(files.get('entries.csv')))).toHaveLength(3);
    expect(rowsOf((await get(`arrays=columns&${filterOf({ a: 2 })}`, at)).text)[0]).toEqual([
      ...['createdAt', 'a', 'list.0.y'],
    ]);
  });

  it('that is wrong is refused by name, in a query and in a body', async () => {
    const wrong = { n: { near: 1 } };
    const { status, text } = await get(filterOf(wrong));
    expect(status).toBe(400);
    expect(JSON.parse(text).error.details).toMatchObject([{ in: 'querystring', path: '/filter/n/near' }]);
    const posted = await sluice.request('POST', `/applications/${domain}/exports`, {
      token,
      json: { filter: wrong },
    });
    expect(posted.body.error.details).toMatchObject([{ in: 'body', path: '/filter/n/near' }]);
  });

  it('keeps the place of a worker that found nothing yet when it gives way', async () => {
    const store = storeOf(sluice);
    const at = await sluice.application(token);
    const application = (await store.applications.byDomain(at)) as { id: string; owner: { id: string } };
    const { id } = application;
    await store.entries.insert(
      Array.from({ length: 900 }, (_, n) => ({ application: id, ...payloadOf({ n }) })),
    );
    const job = await createClaimed(
      store,
      {
        application: id,
        owner: application.owner.id,
        domain: at,
        version: 1,
        options: {
          format: 'ndjson',
          formulas: 'raw',
          arrays: 'json',
          filter: toText([{ path: ['n'], operator: 'gte', value: 899 }]),
        },
        cut: (await store.rawEntries.cut(id)).until,
        leafCount: 1,
        transient: false,
      },
      60_000,
    );
    const isToStop = {
      ...claim,
      check() {
        throw new Postpone();
      },
    };
    await expect(writerOn(store)(job, isToStop)).rejects.toBeInstanceOf(Postpone);
    await store.jobs.release(job.id, job.fence, false);
    const next = (await store.jobs.claim('export', job.id, 60_000)) as ExportJob;
    expect(next.position).toMatchObject({ pass: 0, entries: 0, after: expect.any(String) });
    await expect(writerOn(store)(next, isToStop)).rejects.toBeInstanceOf(Postpone);
    await store.jobs.release(job.id, next.fence, false);
    const last = (await store.jobs.claim('export', job.id, 60_000)) as ExportJob;
    expect(last.position?.after && next.position?.after).toBeTruthy();
    expect((last.position?.after as string) > (next.position?.after as string)).toBe(true);
    expect(await writerOn(store)(last, claim)).toMatchObject({ rows: 1 });
    expect((await fileOf(store, job.id)).toString()).toContain('"payload":{"n":899}}');
  });
});

describe('what was asked for', () => {
  it('is told with the job, in a form that the API takes again', async () => {
    const filter =
      '{"/n":{"gte":9007199254740993,"lt":9},"/addr/city":{"in":["c1","c2"]},"/a.b":{"exists":true}}';
    const asked = {
      from: '2026-01-01T00:00:00.000Z',
      before: '2126-01-01T00:00:00.000Z',
      filter,
      key: '66f1c2a4e8b5d70912345678',
      meta: ['id'],
    };
    const told = { ...asked, column_count: 3 };
    const { job } = await made({ ...asked, columns: ['n', 'any.deep'] });
    expect(job.asked).toEqual(told);
    expect((await made({ ...job.asked, column_count: undefined })).job.asked).toEqual({
      ...asked,
      column_count: undefined,
    });
    const listed = await sluice.request('GET', `/applications/${domain}/exports`, { token });
    expect(listed.body.data.find(({ id }: { id: string }) => id === job.id).asked).toEqual(told);
    expect((await made({})).job.asked).toEqual({});
  });

  it('keeps two conditions on one member that was named in two ways', async () => {
    const filter = { 'addr.city': { ne: 'c1' }, '/addr/city': { ne: 'c2' } };
    const { job } = await made({ filter });
    expect(JSON.parse(job.asked?.filter ?? '')).toEqual({
      '/addr/city': { ne: 'c1' },
      'addr.city': { ne: 'c2' },
    });
  });
});
