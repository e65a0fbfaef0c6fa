import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { createZstdDecompress, gunzipSync } from 'node:zlib';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import { highestId } from '@sluice/store/entries/entry-id.ts';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver } from '../support/export-client.ts';
import { createClaimed } from '../support/export-writer.ts';
import { read } from '../support/exports/parquet-files.ts';
import { payloadOf } from '../support/payload-of.ts';
import { sharedSluice, startSluice, storeOf, until } from '../support/sluice.ts';
import { unzip } from '../support/unzip.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();
/** No worker hears of the exports that are asked of it. */
const silent = await startSluice({
  workers: false,
  env: { ...sluice.env, REDIS_PREFIX: 'nobody-works-here' },
});
afterAll(() => silent.stop());

const post = (domain: string, json: unknown) =>
  sluice.request('POST', `/applications/${domain}/data`, { json });
const get = (path: string, headers: Record<string, string> = {}) =>
  sluice.request('GET', path, { token, headers });
const rowsOf = (text: string): string[][] => parse(text, { relax_column_count: false });

/** Fills an application by way of the store, quicker than by uploads. */
async function filled(count: number, schema: object = { type: 'object', properties: { n: {} } }) {
  const domain = await sluice.application(token, schema);
  const store = storeOf(sluice);
  const id = (await store.applications.byDomain(domain))?.id as string;
  for (let n = 0; n < count; n += 500) {
    const batch = Array.from({ length: Math.min(500, count - n) }, (_, i) => ({
      application: id,
      ...payloadOf({ n: n + i }),
    }));
    await store.entries.insert(batch);
  }
  return { domain, id, store };
}

describe('an export', () => {
  it('has the columns and cells that the contract says', async () => {
    const domain = await sluice.application(token, {
      type: 'object',
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        note: {},
      },
      $defs: { address: { type: 'object', properties: { zip: {}, city: {} } } },
    });
    await post(domain, { later: 1, name: 'a, "b"\r\nc', address: { city: 'Köln' } });
    await post(domain, {
      name: '',
      address: {},
      note: null,
      'a.b': true,
      a: { b: -5 },
      list: [1, { x: '"' }],
    });
    await post(domain, { name: '=1+1', note: -7.5e-9, later: '-3', address: { zip: '@home', city: '\tx' } });
    const { status, headers, text } = await get(`/applications/${domain}/export`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="${domain}-\\d{8}T\\d{6}Z\\.csv"$`),
    );
    const rows = rowsOf(text);
    expect(rows[0]).toEqual([
      'createdAt',
      'name',
      'address.zip',
      'address.city',
      'note',
      'later',
      'address',
      '/a.b',
      'a.b',
      'list',
    ]);
    expect(rows.slice(1).map((row) => row.slice(1))).toEqual([
      ['a, "b"\r\nc', '', 'Köln', '', '1', '', '', '', ''],
      ['', '', '', '', '', '{}', 'true', '-5', '[1,{"x":"\\""}]'],
      ["'=1+1", "'@home", "'\tx", '-7.5e-9', "'-3", '', '', '', ''],
    ]);
    // A parser cannot tell them apart, the text can: an empty string is quoted, a missing value and null are not.
    expect(text).toContain(`\r\n${rows[2]?.[0]},"",,,,,{},true,-5,`);
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it('quotes a bare CR or LF, and disarms headers and blanks before a formula too', async () => {
    const domain = await sluice.application(token);
    await post(domain, { '=cmd': 'a\nb', ' y': ' =1', z: '\n@x', r: 'a\rb' });
    const { text } = await get(`/applications/${domain}/export`);
    expect(rowsOf(text).map((row) => row.slice(1))).toEqual([
      ["'=cmd", ' y', 'z', 'r'],
      ['a\nb', "' =1", "'\n@x", 'a\rb'],
    ]);
    const raw = await get(`/applications/${domain}/export?formulas=raw`);
    expect(rowsOf(raw.text).map((row) => row.slice(1))).toEqual([
      ['=cmd', ' y', 'z', 'r'],
      ['a\nb', ' =1', '\n@x', 'a\rb'],
    ]);
  });

  it('has all rows, oldest first, over many parts, and the same bytes in every encoding', async () => {
    const { domain } = await filled(6_000);
    const { text } = await get(`/applications/${domain}/export`, { 'accept-encoding': 'identity' });
    const rows = rowsOf(text);
    expect(rows).toHaveLength(6_001);
    expect(new Set(rows.map(([, n]) => n)).size).toBe(6_001);
    const times = rows.slice(1).map(([time]) => time as string);
    expect(times).toEqual([...times].sort());
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['zstd', (data: Buffer) => data],
    ] as const) {
      const { body, headers } = await raw(`/api/applications/${domain}/export`, encoding);
      expect(headers['content-encoding']).toBe(encoding);
      const plain = encoding === 'zstd' ? await unzstd(body) : decode(body);
      expect(plain.equals(Buffer.from(text))).toBe(true);
    }
  });

  it('takes a payload for what it is, though the driver has a class for its like', async () => {
    const domain = await sluice.application(token);
    await post(domain, { collection: 1, oid: 2, $ref: 'x', $id: 'y' });
    await post(domain, { $ref: 'x', $id: 'y' });
    expect(rowsOf((await get(`/applications/${domain}/export`)).text).map((row) => row.slice(1))).toEqual([
      ['collection', 'oid', '$ref', '$id'],
      ['1', '2', 'x', 'y'],
      ['', '', 'x', 'y'],
    ]);
  });

  it('has no blank line where its one column is empty', async () => {
    const domain = await sluice.application(token, { type: 'object', properties: { a: {}, b: {} } });
    for (const json of [{ a: 'x' }, { b: 1 }, { a: null }, { a: '' }]) await post(domain, json);
    const { text } = await get(`/applications/${domain}/export?columns=a`);
    expect(text).toBe('a\r\nx\r\n""\r\n""\r\n""\r\n');
  });

  it('is empty but for its header when there is nothing', async () => {
    const domain = await sluice.application(token, { type: 'object', properties: { a: {}, b: {} } });
    expect((await get(`/applications/${domain}/export`)).text).toBe('createdAt,a,b\r\n');
  });

  it('shows the columns asked for, in that order, and the entries of a period', async () => {
    const domain = await sluice.application(token, { type: 'object', properties: { a: {}, b: {} } });
    for (const a of [1, 2, 3]) await post(domain, { a, b: -a, c: 'x' });
    const all = rowsOf((await get(`/applications/${domain}/export?columns=c,createdAt,a`)).text);
    expect(all[0]).toEqual(['c', 'createdAt', 'a']);
    expect(all.slice(1).map(([c, , a]) => [c, a])).toEqual([
      ['x', '1'],
      ['x', '2'],
      ['x', '3'],
    ]);
    const from = all[2]?.[1];
    const some = rowsOf((await get(`/applications/${domain}/export?columns=a&from=${from}`)).text);
    expect(some.slice(1)).toEqual(
      all
        .filter(([, time]) => time !== 'createdAt' && (time as string) >= (from as string))
        .map((row) => [row[2]]),
    );
  });

  it('has the columns of its own keys, whatever keys entries of others have', async () => {
    const upload = (to: string, body: string) => sluice.request('POST', `/applications/${to}/data`, { body });
    const other = await sluice.application(token);
    const domain = await sluice.application(token);
    for (let times = 0; times < 3; times++)
      expect((await upload(other, '{"a":1,"b\\\\":2}')).status).toBe(201);
    expect((await upload(domain, '{"a":1,"b\\n":2}')).status).toBe(201);
    const { status, text } = await get(`/applications/${domain}/export?columns=a,b%0A`);
    expect([status, text]).toEqual([200, 'a,"b\n"\r\n1,2\r\n']);
    expect((await get(`/applications/${domain}/export`)).status).toBe(200);
  });

  it('has a column for fields whose names are too long', async () => {
    const domain = await sluice.application(token, { type: 'object', properties: { a: {} } });
    const long = 'k'.repeat(1_100);
    for (const payload of [
      { a: 1, b: 2 },
      { a: 3, [long]: 4 },
    ])
      expect((await post(domain, payload)).status).toBe(201);
    const rows = rowsOf((await get(`/applications/${domain}/export`)).text);
    expect(rows.map((row) => row.slice(1))).toEqual([
      ['a', 'b', '_extra'],
      ['1', '2', ''],
      ['3', '', `{"${long}":4}`],
    ]);
  });

  it.each(['csv', 'parquet'])(
    'has as %s all fields of a schema that has too many for columns',
    async (format) => {
      const keys = Array.from({ length: 71 }, (_, i) => `k${i}`);
      const all = (property: object) => Object.fromEntries(keys.map((key) => [key, property]));
      const $defs = { inner: { type: 'object', properties: all({ type: 'integer' }) } };
      const properties = all({ $ref: '#/$defs/inner' });
      const domain = await sluice.application(token, { type: 'object', properties, $defs });
      expect((await post(domain, { k0: { k0: 1 }, k70: { k70: 2 }, x: [3] })).status).toBe(201);
      const url = new URL(`/api/applications/${domain}/export?format=${format}`, sluice.url);
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
      const file = Buffer.from(await response.arrayBuffer());
      if (format === 'csv') {
        const [header, row] = rowsOf(file.toString());
        const names = keys.flatMap((outer) => keys.map((inner) => `${outer}.${inner}`));
        expect(header).toEqual(['createdAt', ...names.slice(0, 4_999), '_extra']);
        expect([row?.[1], row?.at(-1)]).toEqual(['1', '{"k70":{"k70":2},"x":[3]}']);
      } else {
        const [row] = await read(file);
        const inner = all({});
        expect(row).toMatchObject({ k0: { k0: 1, k1: null }, k70: { k70: 2 }, _extra: '{"x":[3]}' });
        expect(Object.keys(row?.k70 as object)).toEqual(Object.keys(inner));
      }
    },
  );

  it.each(['at', 'a.b', '$c', ''])(
    'as Parquet has dates as text if one is no date, also under the name "%s"',
    async (name) => {
      const date = { type: 'string', format: 'date-time' };
      const domain = await sluice.application(token, { type: 'object', properties: { [name]: date } });
      const times = ['2026-11-26T10:00:00Z', '2016-12-31T23:59:60Z'];
      for (const time of times) expect((await post(domain, { [name]: time })).status).toBe(201);
      const url = new URL(`/api/applications/${domain}/export?format=parquet`, sluice.url);
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      const rows = await read(Buffer.from(await response.arrayBuffer()));
      expect(rows.map(({ createdAt: _, ...cells }) => Object.values(cells))).toEqual([
        [times[0]],
        [times[1]],
      ]);
    },
  );

  describe('of entries with more fields than there can be columns', () => {
    const properties = { name: { type: 'string' }, place: { type: 'object', properties: { lat: {} } } };
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`k${i}`, i]));
    const payloads = [
      { name: 'a', ...many },
      { name: 'b', place: { lat: 1 } },
      { place: { lon: 2 }, _extra: 3 },
    ];
    let domain: string;

    beforeAll(async () => {
      domain = await sluice.application(token, { type: 'object', properties });
      for (const payload of payloads) expect((await post(domain, payload)).status).toBe(201);
    });

    it('is whole as NDJSON', async () => {
      const { status, text } = await get(`/applications/${domain}/export?format=ndjson`);
      const found = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).payload);
      expect([status, found]).toEqual([200, payloads]);
    });

    const first = Object.keys(many).slice(0, 4_997);
    const others = JSON.stringify(Object.fromEntries(Object.entries(many).slice(4_997)));
    const empty = first.map(() => '');
    const header = ['createdAt', 'name', 'place.lat', ...first, '_extra'];
    const cells = [
      ['a', '', ...first.map((key) => String(many[key])), others],
      ['b', '1', ...empty, ''],
      ['', '', ...empty, '{"place":{"lon":2},"_extra":3}'],
    ];

    it('has as CSV the columns of the schema, those that came first, and the rest in one', async () => {
      const { status, text } = await get(`/applications/${domain}/export`);
      const rows = rowsOf(text);
      expect([status, rows[0]]).toEqual([200, header]);
      expect(rows.slice(1).map((row) => row.slice(1))).toEqual(cells);
    });

    it('has as Parquet the columns of the schema, those that came first, and the rest in one', async () => {
      const path = `/api/applications/${domain}/export?format=parquet`;
      const response = await fetch(new URL(path, sluice.url), {
        headers: { authorization: `Bearer ${token}` },
      });
      const rows = await read(Buffer.from(await response.arrayBuffer()));
      const missing = Object.fromEntries(first.map((key) => [key, null]));
      const found = Object.fromEntries(first.map((key) => [key, String(many[key])]));
      expect([response.status, rows.map(({ createdAt: _, ...cells }) => cells)]).toEqual([
        200,
        [
          { name: 'a', place: null, ...found, _extra: others },
          { name: 'b', place: { lat: '1' }, ...missing, _extra: null },
          { name: null, place: { lat: null }, ...missing, _extra: '{"place":{"lon":2},"_extra":3}' },
        ],
      ]);
    });

    it('has the same columns where arrays are taken apart', async () => {
      const { status, text } = await get(`/applications/${domain}/export?arrays=columns`);
      expect(status).toBe(200);
      expect(rowsOf(text).map((row) => row.slice(1))).toEqual([header.slice(1), ...cells]);
      const headers = { authorization: `Bearer ${token}` };
      const url = `${sluice.url}/api/applications/${domain}/export?arrays=rows`;
      const files = await unzip(Buffer.from(await (await fetch(url, { headers })).arrayBuffer()));
      expect([...files.keys()]).toEqual(['entries.csv']);
      const rows = rowsOf(files.get('entries.csv') as string);
      expect(rows.map((row) => row.slice(2))).toEqual([header.slice(1), ...cells]);
    });

    it('has the columns that are asked for', async () => {
      const { text } = await get(`/applications/${domain}/export?columns=k7`);
      expect(rowsOf(text)).toEqual([['k7'], ['7'], [''], ['']]);
    });
  });
});

describe('HEAD of an export', () => {
  it.each(['format=csv', 'format=ndjson', 'format=parquet', 'arrays=rows'])(
    '%s has the headers of GET and no body, whoever works, and makes no job',
    async (query) => {
      const { domain, id, store } = await filled(3);
      const path = `/applications/${domain}/export?${query}`;
      const headers = { 'accept-encoding': 'gzip' };
      const head = await silent.request('HEAD', path, { token, headers });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(await store.jobs.list(id, 'export')).toEqual([]);
      const full = await get(path, headers);
      for (const name of ['content-type', 'content-encoding', 'vary', 'accept-ranges', 'content-length'])
        expect([name, head.headers.get(name)]).toEqual([name, full.headers.get(name)]);
      const fileName = (answer: typeof head) =>
        answer.headers.get('content-disposition')?.replace(/\d{8}T\d{6}Z/, 'time');
      expect(fileName(head)).toBe(fileName(full));
      expect(head.headers.get('accept-ranges')).toBe('none');
      const audit = await get('/users/me/activity?limit=10');
      const ofDomain = audit.body.data.result.filter(
        ({ application }: { application?: string }) => application === domain,
      );
      expect(ofDomain.map(({ action }: { action: string }) => action)).toEqual([
        'export.downloaded',
        'application.created',
      ]);
    },
  );

  it('is refused as GET is', async () => {
    const { domain } = await filled(0);
    const other = await sluice.owner();
    const status = async (token?: string, query = '') =>
      (await sluice.request('HEAD', `/applications/${domain}/export${query}`, { token })).status;
    expect(await status()).toBe(401);
    expect(await status(other.token)).toBe(404);
    expect(await status(token, '?format=ndjson&arrays=rows')).toBe(400);
    expect(await status(token, '?format=xml')).toBe(400);
    expect(await status(token, '?filter=x')).toBe(400);
    const json = { role: 'reader' };
    const member = `/applications/${domain}/members/${other.username}`;
    await sluice.request('PUT', member, { token, json });
    expect(await status(other.token)).toBe(200);
  });
});

describe('an export job', () => {
  it('is created, completes, and its file equals the streamed one', async () => {
    const { domain } = await filled(1_200);
    const path = `/applications/${domain}/exports`;
    const created = await sluice.request('POST', path, { token, json: {} });
    expect([created.status, created.body.data.state]).toEqual([202, 'waiting']);
    const { id } = created.body.data;
    await until(async () => (await get(`${path}/${id}`)).body.data.state === 'completed');
    const { data } = (await get(`${path}/${id}`)).body;
    expect(data.progress).toEqual({ done: 1_200, total: 1_200 });
    const file = await get(data.file.url.replace('/api', ''), { 'accept-encoding': 'identity' });
    expect(Buffer.byteLength(file.text)).toBe(data.file.bytes);
    expect(Number(file.headers.get('content-length'))).toBe(data.file.bytes);
    expect(file.text).toBe((await get(`/applications/${domain}/export`)).text);
    expect((await get(path)).body.data.map((job: { id: string }) => job.id)).toContain(id);
    expect((await sluice.request('DELETE', `${path}/${id}`, { token })).status).toBe(200);
    expect((await get(`${path}/${id}`)).status).toBe(404);
  });

  it('leaves nothing behind when it is cancelled', async () => {
    const { domain, store } = await filled(10);
    const path = `/applications/${domain}/exports`;
    const { body } = await silent.request('POST', path, { token, json: {} });
    const { id } = body.data;
    expect((await silent.request('GET', `${path}/${id}/file`, { token })).status).toBe(404);
    expect((await silent.request('DELETE', `${path}/${id}`, { token })).status).toBe(200);
    expect((await silent.request('GET', `${path}/${id}`, { token })).body.data.state).toBe('cancelled');
    expect(await store.jobs.renew(id, 0, 1_000)).toBe(false);
  });

  it('is cancelled when the client of a streamed export goes away', async () => {
    const { domain } = await filled(10);
    const leaving = new AbortController();
    const path = `/api/applications/${domain}/export`;
    const gone = fetch(`${silent.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    const state = async () => (await get(`/applications/${domain}/exports`)).body.data[0]?.state;
    await until(async () => (await state()) === 'waiting');
    leaving.abort();
    await expect(gone).rejects.toThrow('aborted');
    await until(async () => (await state()) === 'cancelled');
  });

  it('is cancelled also when the client went away while it was being made', async () => {
    const { domain } = await filled(10);
    const path = `/api/applications/${domain}/export`;
    const { hostname, port } = new URL(silent.url);
    for (let i = 0; i < 10; i++) {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`, () =>
        socket.destroy(),
      );
      await once(socket, 'close');
    }
    const states = async () =>
      (await get(`/applications/${domain}/exports`)).body.data.map((job: { state: string }) => job.state);
    await until(async () => {
      const seen = await states();
      return !seen.includes('waiting') && !seen.includes('active');
    });
    expect(new Set(await states())).not.toContain('completed');
    // A job that is only made after the look above would still be cancelled.
    await until(async () => (await states()).every((state: string) => state === 'cancelled'));
  });

  it('never completes once its application is deleted, whatever is left of the entries', async () => {
    const { id, store, domain } = await filled(10);
    const owner = (await store.applications.byDomain(domain))?.owner.id as string;
    const job = await store.jobs.exports.create({
      application: id,
      owner,
      domain,
      options: { format: 'csv', formulas: 'escape', arrays: 'json' },
      cut: (await store.rawEntries.cut(id)).until,
      version: 1,
      leafCount: 0,
      transient: false,
    });
    await store.applications.remove(domain, owner, 0);
    await deliver(sluice.env, store, job);
    const state = async () => (await store.jobs.get(job.id))?.state;
    await until(async () => !['waiting', 'active'].includes((await state()) ?? 'gone'));
    expect(await state()).not.toBe('completed');
  });

  it('needs no page of entries any more, once it has read the page', async () => {
    const { store, id } = await filled(3_000);
    for (let pages = 0; pages < 3; pages++) {
      const { documents, free } = await store.rawEntries.page(id, { until: highestId, limit: 3_000 });
      free();
      expect(documents.map(({ length }) => length)).toEqual(documents.map(() => 0));
    }
    expect(await store.entries.count(id, {})).toBe(3_000);
  });

  it('goes on after the last part that a worker before committed', async () => {
    const { domain, store } = await filled(3_000);
    const path = `/applications/${domain}/exports`;
    const whole = (await get(`/applications/${domain}/export`)).text;
    const { body } = await sluice.request('POST', path, { token, json: {} });
    await until(async () => (await get(`${path}/${body.data.id}`)).body.data.state === 'completed');
    // A copy of that job as a worker would have left it that died after the first part.
    const job = (await store.jobs.get(body.data.id)) as ExportJob;
    const [first] = (await store.jobs.partsOf(job.id)) as [Part];
    const { application, owner, options, cut, leafCount } = job;
    const same = { application, owner, domain, options, cut, version: 1, leafCount, transient: false };
    const claimed = await createClaimed(store, same, 0);
    const { id, fence } = claimed;
    const kept = await store.parts.put(id, (await store.parts.get(first.id)) as Buffer);
    await store.parts.put(id, Buffer.from('an orphan'));
    const { last } = await store.rawEntries.page(job.application, { until: highestId, limit: first.rows });
    await store.jobs.exports.commitParts(id, fence, {
      parts: [{ ...first, id: kept }],
      position: { pass: 0, after: last, entries: first.rows },
      firstCreatedAt: job.firstCreatedAt,
      lastCreatedAt: job.lastCreatedAt,
    });
    await deliver(sluice.env, store, claimed);
    await until(async () => (await get(`${path}/${id}`)).body.data.state === 'completed');
    expect((await get(`${path}/${id}/file`)).text).toBe(whole);
    expect((await store.jobs.partsOf(id))[0]?.id).toBe(kept);
    const done = (await store.jobs.get(id)) as ExportJob;
    expect(done.manifest).toEqual({ ...job.manifest, sha256: sha256(whole) });
  });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function raw(path: string, encoding: string) {
  const call = httpRequest(`${sluice.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
  });
  call.end();
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { body: Buffer.concat(chunks), headers: response.headers as Record<string, string> };
}

async function unzstd(data: Buffer): Promise<Buffer> {
  const stream = createZstdDecompress();
  stream.end(data);
  return Buffer.concat(await stream.toArray());
}
