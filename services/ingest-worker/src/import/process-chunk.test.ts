import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { announcedIn, createEntryReader } from '@sluice/bson/entry.ts';
import { createFieldSet } from '@sluice/intake/field-set.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { createRecordFields } from '@sluice/intake/intake.ts';
import type { Judged } from '@sluice/intake/line.ts';
import { onceBy, uniqueIn } from '@sluice/intake/unique.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import { frameHead, writeHead } from '@sluice/json/frames.ts';
import { highestId } from '@sluice/store/entries/entry-id.ts';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { countStored } from './count-stored.ts';
import { createProcessChunk } from './process-chunk.ts';

const zip = promisify(zstdCompress);
const unzip = promisify(zstdDecompress);

function framed(lines: string[]): Buffer {
  return Buffer.concat(
    lines.flatMap((line, i) => {
      const head = Buffer.alloc(frameHead);
      writeHead(head, 0, i + 1, Buffer.byteLength(line), false);
      return [head, Buffer.from(line)];
    }),
  );
}

async function start() {
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const logged: unknown[] = [];
  const processChunk = createProcessChunk({
    entries: store.entries,
    recordFields: createRecordFields(store.fields),
    log: { error: (record: unknown) => logged.push(record) },
  });
  const application = new ObjectId().toHexString();
  const intake = {
    id: application,
    fields: createFieldSet(),
    recorded: { overflow: false, closed: false },
  } as Intake;
  const chunk = { job: 'job', application, stamp: Date.now(), earlier: [] as number[] } as ClaimedChunk;
  return { store, logged, processChunk, application, intake, chunk };
}

it('refuses a line on which the validator fails, and stores the others of its chunk', async () => {
  const { store, logged, processChunk, application, intake, chunk } = await start();
  const readLine = ({ bytes }: { bytes: Buffer }): Judged => {
    const payload = JSON.parse(bytes.toString());
    if (payload.n === 2) throw new ReferenceError('items4 is not defined');
    return { kind: 'accepted', fields: [], ...payloadOf(payload) };
  };
  const data = await zip(framed(['{"n":1}', '{"n":2}', '{"n":3}']));
  const ignored = { by: 1, check() {}, onStep() {}, makeRoom: async () => 1 };
  const processed = await processChunk({ chunk, data, intake, readLine, ...ignored });
  expect(processed).toMatchObject({ accepted: 2, rejected: 1 });
  expect(JSON.parse((await unzip(processed.report?.data ?? '')).toString())).toEqual({
    line: 2,
    name: 'InternalServerError',
    message: expect.stringContaining('was not stored'),
    payload: { n: 2 },
  });
  expect(await store.entries.count(application, {})).toBe(2);
  expect(logged).toMatchObject([{ event: 'line.defect', job: 'job', line: 2 }]);
});

it('stores entries that bring their times once, after room was made for them, whatever time a retry has', async () => {
  const { store, processChunk, application, intake, chunk } = await start();
  const readLine = ({ bytes }: { bytes: Buffer }): Judged => {
    const payload = JSON.parse(bytes.toString());
    return { kind: 'accepted', fields: [], ...payloadOf(payload), createdAt: payload.at };
  };
  const data = await zip(framed(['{"at":3000}', '{"at":1000}', '{"at":2000}']));
  const made: { since: number; stored: number }[] = [];
  const task = {
    data,
    by: 1,
    intake,
    readLine,
    check() {},
    onStep() {},
    async makeRoom(since: number) {
      made.push({ since, stored: await store.entries.count(application, {}) });
      return made.length;
    },
  };
  const retried = { ...chunk, stamp: chunk.stamp + 5, earlier: [chunk.stamp] };
  for (const each of [chunk, chunk, retried])
    expect(await processChunk({ ...task, chunk: each })).toMatchObject({ accepted: 3, rejected: 0 });
  // The retry stores nothing.
  expect(made.map(({ since }) => since)).toEqual([1_000, 1_000]);
  expect(made[0]?.stored).toBe(0);
  const { entries: page } = await store.entries.page(application, { start: 0, limit: 9 });
  expect(page.map(({ createdAt }) => createdAt.getTime())).toEqual([3_000, 2_000, 1_000]);
  // What came again is as it was.
  const { documents } = await store.rawEntries.page(application, { until: highestId, limit: 9 });
  const reader = createEntryReader();
  expect(documents.map((document) => announcedIn(reader(document)))).toEqual([1, 1, 1]);
  // An id never comes back behind the runs of archives that have listed it as deleted.
  const [newest, ...others] = page.map(({ id }) => id);
  await store.deletions.removeOne(application, newest as string);
  const once = { ...retried, earlier: [chunk.stamp, retried.stamp] };
  for (const each of [retried, retried, once])
    expect(await processChunk({ ...task, chunk: each })).toMatchObject({ accepted: 3, rejected: 0 });
  const again = (await store.entries.page(application, { start: 0, limit: 9 })).entries;
  expect(again.map(({ createdAt }) => createdAt.getTime())).toEqual([3_000, 2_000, 1_000]);
  expect(again[0]?.id).not.toBe(newest);
  expect(again.slice(1).map(({ id }) => id)).toEqual(others);
  const counted = { chunk: once, data, intake, readLine, by: 1, check() {}, onStep() {} };
  expect(await countStored(store.entries, counted)).toBe(3);
});

it('counts as repeated what others stored with its unique values, however often it is done', async () => {
  const { store, processChunk, application, intake: plain, chunk } = await start();
  const intake = { ...plain, unique: { path: '/id' } };
  const readLine = ({ bytes }: { bytes: Buffer }): Judged => {
    const payload = JSON.parse(bytes.toString());
    return { kind: 'accepted', fields: [], ...payloadOf(payload), value: uniqueIn(intake, payload) };
  };
  const lines = [{ id: 'a' }, { id: 'b' }, { id: 'b' }, { id: 'c', n: 1 }, { id: 'd' }];
  const others = [{ id: 'a' }, { id: 'c' }].map((payload) => {
    const once = onceBy(intake, uniqueIn(intake, payload));
    return { application, ...payloadOf(payload), ...once };
  });
  expect(await store.entries.insert(others)).toEqual(['stored', 'stored']);
  const data = await zip(framed(lines.map((line) => JSON.stringify(line))));
  const task = { data, by: 1, intake, readLine, check() {}, onStep() {}, makeRoom: async () => 1 };
  for (const each of [chunk, chunk]) {
    const processed = await processChunk({ ...task, chunk: each });
    expect(processed).toMatchObject({ lines: 5, accepted: 4, repeated: 2, rejected: 1 });
    expect(JSON.parse((await unzip(processed.report?.data ?? '')).toString())).toMatchObject({
      line: 4,
      name: 'ResourceConflictError',
    });
    expect(await store.entries.count(application, {})).toBe(4);
  }
});

it('stores all lines that are too old for one unique value, however often it is done, and leaves it free', async () => {
  const { store, processChunk, application, intake: plain, chunk } = await start();
  const intake = { ...plain, unique: { path: '/id', days: 1 } };
  const readLine = ({ bytes, line }: { bytes: Buffer; line: number }): Judged => {
    const payload = JSON.parse(bytes.toString());
    const value = uniqueIn(intake, payload);
    return { kind: 'accepted', fields: [], ...payloadOf(payload), createdAt: 1_000 * line, value };
  };
  const data = await zip(framed(Array(20).fill('{"id":"a"}')));
  const task = { data, by: 1, intake, readLine, check() {}, onStep() {}, makeRoom: async () => 1 };
  for (const each of [chunk, chunk]) {
    expect(await processChunk({ ...task, chunk: each })).toMatchObject({ accepted: 20, repeated: 0 });
    expect(await store.entries.count(application, {})).toBe(20);
  }
  const payload = { id: 'a', n: 1 };
  const once = onceBy(intake, uniqueIn(intake, payload));
  expect(await store.entries.insert([{ application, ...payloadOf(payload), ...once }])).toEqual(['stored']);
});
