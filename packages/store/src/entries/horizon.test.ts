import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { runs } from '../../../../test/support/runs.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createProcess } from '../../../../test/support/writing-process.ts';
import { UnconfirmedError } from '../faults.ts';
import type { EntryDocument } from './entry-document.ts';
import { createKeysAt, idOfKey, lowestId, timeOfId, toKey } from './entry-id.ts';
import { placesMs } from './horizon.ts';
import type { MilestoneDocument } from './milestone-document.ts';
import { milestoneStore } from './milestones.ts';
import { createWriter } from './writer.ts';

const spacing = 3;
const hourMs = 3_600_000;
const durable = { writeConcern: { w: 'majority', journal: true } } as const;
const offs = [0, -hourMs, hourMs];

async function start() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const entries = db.collection<EntryDocument>('entries');
  const newKey = createKeysAt();
  return {
    ...store,
    db,
    insertAt: async (application: string, time: number, announced = 0) => {
      const _id = newKey(Buffer.from(application, 'hex'), time);
      await entries.insertOne({ _id, payload: {}, announced }, durable);
      return idOfKey(_id);
    },
  };
}
type Setting = Awaited<ReturnType<typeof start>>;

interface Cut {
  until: string;
  announced: number;
}

/** Stores lines with old times, as a worker does. */
async function importOld(
  { chunks, horizon, milestones, insertAt }: Setting,
  application: string,
  ages: number[],
): Promise<string[]> {
  const job = new ObjectId().toHexString();
  await chunks.add({ job, application, seq: 0, lines: 1, part: job, bytes: 1 });
  const chunk = await chunks.claim(job, 60_000);
  if (!chunk) throw new Error('none');
  const times = ages.map((age) => chunk.stamp - age);
  const since = Math.min(...times);
  const announced = await milestones.removeFrom(application, since, async (session, version) => {
    expect(await horizon.lower(session, chunk, since, version)).toBe(true);
  });
  const ids: string[] = [];
  for (const time of times) ids.push(await insertAt(application, time, announced));
  await chunks.commit(chunk.id, chunk.fence, { accepted: 1, rejected: 0 });
  return ids;
}

/** MongoDB carries the last insert out after the process died, but before a worker removes the writer. */
async function writeAndDie({ horizon, insertAt }: Setting, application: string, delayMs: number) {
  const writer = horizon.newWriter();
  const { clock } = await horizon.publish({ writer, next: 0 });
  await insertAt(application, clock);
  await pause(delayMs);
  await insertAt(application, clock);
  await horizon.leave({ writer, next: clock });
}

const delays = fc.array(fc.nat({ max: 40 }), { minLength: 4, maxLength: 12 });
const ages = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 6 });
const work = {
  uploads: fc.array(delays, { minLength: 3, maxLength: 6 }),
  imports: fc.array(ages, { maxLength: 3 }),
  deaths: fc.array(fc.nat({ max: 600 }), { maxLength: 2 }),
};

it('milestones count every entry below them, and cuts have every acknowledged one, whoever stores entries and however long that takes', async () => {
  const setting = await start();
  const { db, insertAt, rawEntries, horizon } = setting;
  const entries = db.collection<EntryDocument>('entries');
  await fc.assert(
    fc.asyncProperty(fc.record(work), async ({ uploads, imports, deaths }) => {
      const application = new ObjectId().toHexString();
      const processes = offs.map((offMs) => createProcess({ db, application }, { offMs }));
      const acknowledged: string[] = [];
      const cuts: { cut: Cut; ids: string[] }[] = [];
      let isOver = false;
      // Before the first snapshot, the driver must know the server.
      await insertAt(application, 1_000);

      async function upload(place: number, delays: number[]): Promise<void> {
        for (const delay of delays) {
          const { id, end } = await (processes[place % processes.length] as (typeof processes)[0]).begin();
          await pause(delay);
          await end();
          acknowledged.push(id);
        }
      }
      async function set(): Promise<void> {
        const own = milestoneStore(db, spacing);
        while (!isOver) await own.set(application, Number.POSITIVE_INFINITY, 40);
      }

      async function idsIn({ until, announced }: Cut): Promise<string[]> {
        const _id = { $gte: toKey(application, lowestId), $lte: toKey(application, until) };
        const found = entries.find({ _id, announced: { $not: { $gt: announced } } }).sort({ _id: 1 });
        return (await found.toArray()).map((entry) => idOfKey(entry._id));
      }
      async function cutAgain(): Promise<void> {
        while (!isOver) {
          // Each is a write that milestones wait for.
          await pause(50);
          const before = [...acknowledged];
          const cut = (await rawEntries.cut(application)) as Cut;
          await until(() => horizon.hasPassed(application, timeOfId(cut.until).getTime(), cut.announced));
          const ids = await idsIn(cut);
          expect(new Set(before).difference(new Set(ids))).toEqual(new Set());
          cuts.push({ cut, ids });
        }
      }

      const setters = [set(), set(), cutAgain()];
      await Promise.all([
        ...uploads.map((delays, place) => upload(place, delays)),
        ...imports.map(async (ages) => acknowledged.push(...(await importOld(setting, application, ages)))),
        ...deaths.map((delayMs) => writeAndDie(setting, application, delayMs)),
      ]);
      const all = await setting.entries.count(application, {});
      const milestones = db.collection<MilestoneDocument>('milestones');
      const ofApplication = { application: new ObjectId(application) };
      await until(async () => (await milestones.countDocuments(ofApplication)) === Math.floor(all / spacing));
      isOver = true;
      await Promise.all(setters);
      for await (const { _id, rank } of milestones.find(ofApplication)) {
        const below = { _id: { $gte: toKey(application, lowestId), $lte: _id } };
        expect(await entries.countDocuments(below)).toBe(rank);
      }
      for (const { cut, ids } of cuts) expect(await idsIn(cut)).toEqual(ids);
    }),
    runs(3, 6),
  );
});

it('is held at a time of lately, until that is released, and not above it or long after it', async () => {
  const { horizon } = await start();
  const writer = horizon.newWriter();
  const { clock } = await horizon.publish({ writer, next: 0 });
  const hold = await horizon.hold(clock);
  await horizon.leave({ writer, next: clock + 1_000 });
  expect(await horizon.latest()).toBe(clock);
  expect(await hold?.renew()).toBe(true);
  await hold?.release();
  expect(await hold?.renew()).toBe(false);
  expect(await horizon.latest()).toBeGreaterThan(clock);
  expect(await horizon.hold(clock)).toBeUndefined();

  await horizon.publish({ writer, openSince: clock - 2 * placesMs, next: 0 });
  await expect(horizon.hold(clock - 1.5 * placesMs)).rejects.toThrow(UnconfirmedError);
  expect(await horizon.hold(clock - 3 * placesMs)).toBeUndefined();
});

it('a writer asks MongoDB for the time before it stores again after its machine was paused', async () => {
  const { horizon } = openStore((await ownDatabase()).url);
  let asked = 0;
  const publish: typeof horizon.publish = (publication) => {
    asked += 1;
    return horizon.publish(publication);
  };
  const writer = createWriter({ ...horizon, publish });
  onTestFinished(() => writer.close());
  // Only then is each question one of a write.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = async (now: () => number) => now();
  await writer.write(store);
  await writer.write(store);
  expect(asked).toBe(1);
  vi.setSystemTime(Date.now() + 60_000);
  await writer.write(store);
  expect(asked).toBe(2);
});

it('entries can be read while nobody can be told of them, and their writer stays until that is done', async () => {
  const { horizon } = openStore((await ownDatabase()).url);
  const events: string[] = [];
  const leave: typeof horizon.leave = async (publication) => {
    events.push('left');
    await horizon.leave(publication);
  };
  // Told more often than a writer publishes before it leaves.
  let failing = 12;
  const tell = async ([application]: string[]) => {
    if (failing-- > 0) throw new Error('away');
    events.push(`told ${application}`);
  };
  const writer = createWriter({ ...horizon, leave }, { tell });
  onTestFinished(() => writer.close());
  const time = await writer.write(async (now) => now(), { applications: ['one'] });
  await until(async () => (await horizon.latest()) > time);
  expect(events).toEqual([]);
  await until(async () => events.includes('left'));
  expect(events).toEqual(['told one', 'left']);
});
