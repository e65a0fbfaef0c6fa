import { createHash } from 'node:crypto';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { createLineKeys, highestId, idOfKey } from '@sluice/store/entries/entry-id.ts';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { eachField } from '../support/each-field.ts';
import { deliver } from '../support/export-client.ts';
import { claim, createClaimed, writerOn } from '../support/export-writer.ts';
import { payloadOf } from '../support/payload-of.ts';
import { isLong } from '../support/runs.ts';
import { sharedSluice, storeOf, until } from '../support/sluice.ts';
import { unzip } from '../support/unzip.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const get = (path: string) =>
  sluice.request('GET', path, { token, headers: { 'accept-encoding': 'identity' } });

async function bytesOf(path: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' };
  const response = await fetch(`${sluice.url}/api${path}`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** An application with these payloads, filled by way of the store. */
async function filled(payloads: Record<string, unknown>[], properties: object = {}) {
  const domain = await sluice.application(token, { type: 'object', properties });
  const store = storeOf(sluice);
  const application = (await store.applications.byDomain(domain))?.id as string;
  const pointers = new Set<string>();
  for (const payload of payloads) eachField(payload, (field) => pointers.add(toPointer(field)));
  await store.fields.add(application, [...pointers]);
  for (let n = 0; n < payloads.length; n += 500) {
    const batch = payloads.slice(n, n + 500).map((payload) => ({ application, ...payloadOf(payload) }));
    await store.entries.insert(batch);
  }
  return { domain, store, path: `/applications/${domain}/exports` };
}

const linesOf = (text: string | undefined) => text?.split('\r\n').slice(0, -1);

/** Runs a job to its end. */
async function finished(path: string, json: object) {
  const { body } = await sluice.request('POST', path, { token, json });
  const { id } = body.data;
  await until(async () => !['waiting', 'active'].includes((await get(`${path}/${id}`)).body.data.state));
  return (await get(`${path}/${id}`)).body.data;
}

const orders = [
  { no: 1, tags: ['a', 'b'], items: [{ sku: 'x', parts: [{ n: 1 }, { n: 2 }] }, { sku: '=y' }] },
  { no: 2, tags: [], items: [] },
  { no: 3, tags: null, note: { by: ['me'] }, items: [{ sku: 'z', price: { amount: 5 } }] },
];

describe('arrays=columns', () => {
  it('has a column for each element of an array, streamed and as a job', async () => {
    const { domain, path } = await filled([], { no: {}, tags: {}, late: {} });
    for (const json of orders) await sluice.request('POST', `/applications/${domain}/data`, { json });
    const { text, headers } = await get(`/applications/${domain}/export?arrays=columns`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const header =
      'createdAt,no,tags,tags.0,tags.1,late,items,items.0.sku,items.0.parts.0.n,items.0.parts.1.n,items.0.price.amount,items.1.sku,note.by.0';
    const lines = linesOf(text) as string[];
    expect(lines.map((line) => line.slice(line.indexOf(',') + 1))).toEqual([
      header.slice(header.indexOf(',') + 1),
      `1,,a,b,,,x,1,2,,'=y,`,
      '2,[],,,,[],,,,,,',
      '3,,,,,,z,,,5,,me',
    ]);
    const job = await finished(path, { arrays: 'columns' });
    expect([job.state, job.columns]).toEqual(['completed', header.split(',')]);
    expect((await get(job.file.url.replace('/api', ''))).text).toBe(text);
  });

  it('takes the name of an array for all of its elements, and no other', async () => {
    const { domain } = await filled([]);
    for (const json of orders) await sluice.request('POST', `/applications/${domain}/data`, { json });
    const chosen = await get(`/applications/${domain}/export?arrays=columns&columns=tags,no`);
    expect(linesOf(chosen.text)).toEqual(['tags,tags.0,tags.1,no', ',a,b,1', '[],,,2', ',,,3']);
    const refused = await get(`/applications/${domain}/export?arrays=columns&columns=tags.1`);
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'there is no column tags.1: take tags, for all of its elements',
    ]);
  });

  it('has an array as JSON text that would take too many columns', async () => {
    const many = Array.from({ length: 5_001 }, (_, i) => i);
    const { domain, path } = await filled([
      { a: [1], b: [2, 3] },
      { a: many, b: [4] },
    ]);
    const job = await finished(path, { arrays: 'columns' });
    expect([job.state, job.columns]).toEqual(['completed', ['createdAt', 'a', 'b.0', 'b.1']]);
    const { text } = await get(`/applications/${domain}/export?arrays=columns&columns=a,b`);
    expect(linesOf(text)).toEqual(['a,b.0,b.1', '[1],2,3', `"${JSON.stringify(many)}",4,`]);
  });
});

describe('arrays=rows', () => {
  it('has a table for each array of objects, streamed and as a job', async () => {
    const { domain, path, store } = await filled([], { no: {}, items: {} });
    for (const json of orders) await sluice.request('POST', `/applications/${domain}/data`, { json });
    const job = await finished(path, { arrays: 'rows' });
    expect(job.state).toBe('completed');
    expect([job.file.rows, job.progress]).toEqual([3, { done: 9, total: 9 }]);
    const files = await unzip(await bytesOf(job.file.url.replace('/api', '')));
    expect(await unzip(await bytesOf(`/applications/${domain}/export?arrays=rows`))).toEqual(files);
    const { application } = (await store.jobs.get(job.id)) as ExportJob;
    const { documents } = await store.rawEntries.page(application, { until: highestId, limit: 9 });
    const ids = documents.map((document) => document.toString('hex', 26, 40));
    expect([...files.keys()]).toEqual(['entries.csv', 'items.csv', 'items.parts.csv']);
    const entries = linesOf(files.get('entries.csv'))?.map((line) => line.replace(/,\d{4}-[^,]*/, ''));
    expect(entries).toEqual([
      'entry,createdAt,no,items,tags,note.by',
      `${ids[0]},1,,"[""a"",""b""]",`,
      `${ids[1]},2,[],[],`,
      `${ids[2]},3,,,"[""me""]"`,
    ]);
    expect(linesOf(files.get('items.csv'))).toEqual([
      'entry,index,sku,price.amount',
      `${ids[0]},0,x,`,
      `${ids[0]},1,'=y,`,
      `${ids[2]},0,z,5`,
    ]);
    expect(linesOf(files.get('items.parts.csv'))).toEqual([
      'entry,items.index,index,n',
      `${ids[0]},0,0,1`,
      `${ids[0]},0,1,2`,
    ]);
    expect(job.columns).toEqual(
      [...files].flatMap(([file, text]) =>
        linesOf(text)?.[0]
          ?.split(',')
          .map((name) => `${file}:${name}`),
      ),
    );
  });

  it('is an archive also when there is nothing', async () => {
    const { domain } = await filled([], { a: {} });
    const response = await get(`/applications/${domain}/export?arrays=rows`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toMatch(/\.zip"$/);
    const files = await unzip(await bytesOf(`/applications/${domain}/export?arrays=rows`));
    expect([...files]).toEqual([['entries.csv', 'entry,createdAt,a\r\n']]);
  });

  it('has arrays as JSON text that would take too many tables or columns, and fields without a column too', async () => {
    const wide = [Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]))];
    const tables = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, [{ x: i }]]));
    const long = 'k'.repeat(1_100);
    const { domain, store } = await filled([
      { wide, ...tables },
      { t0: [{ x: 7 }], wide: [] },
    ]);
    const id = (await store.applications.byDomain(domain))?.id as string;
    await sluice.request('POST', `/applications/${domain}/data`, { json: { t0: [], [long]: [{ y: 1 }] } });
    expect((await store.fields.of(id)).overflow).toBe(true);
    const files = await unzip(await bytesOf(`/applications/${domain}/export?arrays=rows`));
    expect([...files.keys()]).toEqual([
      'entries.csv',
      ...Object.keys(tables)
        .slice(0, 100)
        .map((name) => `${name}.csv`),
    ]);
    const rows = linesOf(files.get('entries.csv')) as string[];
    const cells = rows.map((row) => row.split(',').slice(2));
    const json = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`.split(',');
    expect(cells).toEqual([
      ['wide', 't0', 't100', '_extra'],
      [...json(wide), '', ...json(tables.t100), ''],
      ['[]', '', '', ''],
      ['', '[]', '', ...json({ [long]: [{ y: 1 }] })],
    ]);
    expect(linesOf(files.get('t0.csv'))?.map((row) => row.split(',').slice(1))).toEqual([
      ['index', 'x'],
      ['0', '0'],
      ['0', '7'],
    ]);
  });

  it('has all columns, for csv alone', async () => {
    const { domain } = await filled([]);
    for (const query of [
      'arrays=rows&columns=a',
      'arrays=rows&format=parquet',
      'arrays=columns&format=ndjson',
    ])
      expect((await get(`/applications/${domain}/export?${query}`)).status).toBe(400);
  });
});

describe('a worker that dies', () => {
  const text = 'x'.repeat(2_000);
  const entries = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      n,
      items: Array.from({ length: n % 5 }, (_, i) => ({
        sku: `${n}/${i}`,
        text,
        parts: n % 100 ? [] : [{ i }],
      })),
    }));

  /** Writes until so many parts are committed; none: until the columns are found. */
  async function writeUntilDeath(store: Store, job: ExportJob, parts: number | 'none') {
    let left = parts;
    const die = () => Promise.reject(new Error('dead'));
    const { exports } = store.jobs;
    const dying: JobStore['exports'] = {
      ...exports,
      setShape: (...args) => (left === 'none' ? die() : exports.setShape(...args)),
      commitParts: (...args) => (left === 'none' || left-- === 0 ? die() : exports.commitParts(...args)),
    };
    const mortal = { ...store, jobs: { ...store.jobs, exports: dying } };
    await expect(writerOn(mortal)(job, claim)).rejects.toThrow('dead');
  }

  it.each(['columns', 'rows'] as const)(
    'is followed by one that writes the rest with arrays=%s',
    async (arrays) => {
      // Enough for several parts; those of an archive are compressed.
      const entryCount = arrays === 'rows' ? 3_000 : 1_500;
      const { path, store } = await filled(entries(entryCount));
      const whole = await finished(path, { arrays });
      const fileOf = async (id: string) => {
        const bytes = await bytesOf(`${path}/${id}/file`);
        return arrays === 'rows' ? await unzip(bytes) : bytes.toString();
      };
      const expected = await fileOf(whole.id);
      const { application, owner, domain, options, cut, leafCount } = (await store.jobs.get(
        whole.id,
      )) as ExportJob;
      const count = (await store.jobs.partsOf(whole.id)).length;
      expect(count).toBeGreaterThan(arrays === 'rows' ? 4 : 1);
      const all = Array.from({ length: count }, (_, i) => i);
      for (const parts of ['none' as const, ...(isLong ? all : all.slice(-2, -1))]) {
        const same = { application, owner, domain, options, cut, version: 1, leafCount, transient: false };
        const job = await createClaimed(store, same, 60_000);
        const { id } = job;
        expect(job.shape).toBeUndefined();
        await writeUntilDeath(store, job, parts);
        const committed = await store.jobs.partsOf(id);
        expect(committed).toHaveLength(parts === 'none' ? 0 : parts);
        await store.parts.put(id, Buffer.from('an orphan'));
        // As if its lease were over.
        await store.jobs.release(id, job.fence, false);
        await deliver(sluice.env, store, job);
        await until(async () => (await get(`${path}/${id}`)).body.data.state === 'completed');
        expect(await fileOf(id)).toEqual(expected);
        expect((await store.jobs.partsOf(id)).slice(0, committed.length)).toEqual(committed);
        const { manifest } = (await store.jobs.get(id)) as ExportJob;
        expect(manifest?.rows).toBe(entryCount);
        expect(manifest?.sha256).toBe(sha256(await bytesOf(`${path}/${id}/file`)));
      }
    },
  );

  it('fields columns that the next one keeps, and a job that it has lost alone', async () => {
    const { path, store } = await filled(orders);
    const { id: other } = await finished(path, { arrays: 'columns' });
    const { application, owner, domain, options, cut, leafCount } = (await store.jobs.get(
      other,
    )) as ExportJob;
    const same = { application, owner, domain, options, cut, version: 1, leafCount, transient: false };
    const { id, fence } = await createClaimed(store, same, 0);
    const shape = { tables: [{ name: 'entries', path: [], columns: [{ name: 'no', pointer: '/no' }] }] };
    expect(await store.jobs.exports.setShape(id, fence + 1, { tables: [] })).toBe(false);
    expect(await store.jobs.exports.setShape(id, fence, shape)).toBe(true);
    expect((await store.jobs.claim('export', id, 0))?.shape).toEqual(shape);
    await store.jobs.cancel(id, new Date());
    expect(await store.jobs.exports.setShape(id, fence + 1, { tables: [] })).toBe(false);
  });
});

it('entries that were under way as the export began are in all tables, and none that comes later', async () => {
  const { path, store } = await filled(orders);
  const { application, owner, domain, options, leafCount } = (await store.jobs.get(
    (
      await finished(path, { arrays: 'rows' })
    ).id,
  )) as ExportJob;
  const order = (no: number, sku: string) => payloadOf({ no, items: [{ sku, parts: [{ n: no }] }] });
  const source = new ObjectId().toHexString();
  await store.chunks.add({ job: source, application, seq: 0, lines: 1, part: source, bytes: 1 });
  const chunk = (await store.chunks.claim(source, 60_000)) as ClaimedChunk;
  await store.entries.insert([{ application, ...order(8, 'before') }]);
  const { until: cut, announced } = await store.rawEntries.cut(application);
  const same = {
    application,
    owner,
    domain,
    options,
    cut,
    announced,
    version: 1,
    leafCount,
    transient: false,
  };
  const job = await createClaimed(store, same, 60_000);
  const { id, fence } = job;
  // A line of an import that is older than the newest entry.
  const key = createLineKeys(application, chunk.stamp, Buffer.from('line'))(1);
  let isStored = false;
  async function storeLine(): Promise<void> {
    if (isStored) return;
    isStored = true;
    expect(await store.entries.insertKeyed([{ key, ...order(9, 'meanwhile') }])).toEqual(['stored']);
    await store.chunks.commit(chunk.id, chunk.fence, { accepted: 1, rejected: 0 });
  }
  const { exports } = store.jobs;
  const busy: JobStore['exports'] = {
    ...exports,
    async commitParts(...args) {
      await store.entries.insert([{ application, ...order(10, 'later') }]);
      const time = 1_000 + args[2].position.pass;
      const version = await store.milestones.removeFrom(application, time);
      const older = { key: createLineKeys(application, time, Buffer.from('old '))(1), announced: version };
      await store.entries.insertKeyed([{ ...older, ...order(11, 'later') }]);
      return exports.commitParts(...args);
    },
  };
  const write = writerOn({ ...store, jobs: { ...store.jobs, exports: busy } });
  const manifest = await write(job, { ...claim, giveWay: storeLine });
  expect(manifest.rows).toBe(5);
  await store.jobs.complete(id, fence, manifest, new Date(Date.now() + 60_000));
  const tables = await unzip(await bytesOf(`${path}/${id}/file`));
  const rowsWith = (text: string) =>
    Object.fromEntries(
      [...tables].map(([name, csv]) => [name, linesOf(csv)?.filter((row) => row.includes(text)).length]),
    );
  expect(rowsWith(idOfKey(key))).toEqual({ 'entries.csv': 1, 'items.csv': 1, 'items.parts.csv': 1 });
  expect(rowsWith('later')).toEqual({ 'entries.csv': 0, 'items.csv': 0, 'items.parts.csv': 0 });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
