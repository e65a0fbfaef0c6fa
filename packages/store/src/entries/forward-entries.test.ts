import { ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createProcess } from '../../../../test/support/writing-process.ts';
import { UnconfirmedError } from '../faults.ts';
import { timeOfId } from './entry-id.ts';

const hourMs = 3_600_000;

async function start() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const application = new ObjectId().toHexString();
  const entry = (n: number) => ({ application, ...payloadOf({ n }) });
  return { ...store, db, application, entry };
}
type Setting = Awaited<ReturnType<typeof start>>;

/** Reads on from where it was. */
function createFollower({ entries, application }: Setting) {
  const ids: string[] = [];
  let after: string | undefined;

  /** Reads one page; returns whether it was the last. */
  async function poll(limit = 1_000): Promise<boolean> {
    const page = await entries.forward(application, { start: 0, limit: limit + 1, after });
    const isLast = page.entries.length <= limit;
    const read = page.entries.slice(0, limit).map(({ id }) => id);
    ids.push(...read);
    after = isLast ? page.end : read.at(-1);
    return isLast;
  }

  return {
    ids,
    poll,
    /** Long enough for every process to say how far it is. */
    async pollOften(): Promise<void> {
      for (let n = 0; n < 200; n++) await poll();
    },
    untilRead: (count: number) =>
      until(async () => {
        await poll();
        return ids.length >= count;
      }),
  };
}

it('reads each acknowledged entry once, whatever the clocks and however long an insert takes', async () => {
  const setting = await start();
  const follower = createFollower(setting);
  const processes = [0, -hourMs, hourMs].map((offMs) => createProcess(setting, { offMs }));
  const acknowledged: string[] = [];
  let polls = 0;
  let busy = 0;

  /** Two of them at a time: what began first may end last. */
  async function upload({ begin }: (typeof processes)[number], inserts: number): Promise<void> {
    busy += 1;
    for (let n = 0; n < inserts; n++) {
      const { id, end } = await begin();
      const enough = polls + Math.floor(Math.random() * 6);
      await until(async () => polls >= enough);
      await end();
      acknowledged.push(id);
    }
    busy -= 1;
  }

  const uploading = processes.flatMap((each) => [upload(each, 40), upload(each, 40)]);
  while (busy > 0) {
    await follower.poll(1 + Math.floor(Math.random() * 7));
    polls += 1;
  }
  await Promise.all(uploading);
  await follower.untilRead(acknowledged.length);
  expect(follower.ids).toEqual(acknowledged.toSorted());
});

describe('what may still be stored', () => {
  it('holds back later entries, also those of other processes', async () => {
    const setting = await start();
    const [one, other, follower] = [createProcess(setting), createProcess(setting), createFollower(setting)];
    const first = await one.begin();
    const second = await other.begin();
    await second.end();
    await follower.pollOften();
    expect(follower.ids).toEqual([]);
    await first.end();
    await follower.untilRead(2);
    expect(follower.ids).toEqual([first.id, second.id].toSorted());
  });

  it.each([
    ['in doubt, until nobody can be storing it', new UnconfirmedError('lost'), 240, 0],
    ['in doubt, and not longer', new UnconfirmedError('lost'), 0, 1],
    ['refused, no longer', new Error('refused'), 240, 1],
  ])('holds them back when it is %s', async (_what, fault, doubtful, read) => {
    const setting = await start();
    const follower = createFollower(setting);
    const process = createProcess(setting, { doubtful });
    const [lost, next] = [await process.begin(), await process.begin()];
    await Promise.all([lost.end(fault), next.end()]);
    await (read === 0 ? follower.pollOften() : follower.untilRead(read));
    expect(follower.ids).toHaveLength(read);
  });

  it('does so after its process died, until that was silent long enough', async () => {
    const setting = await start();
    const { horizon, entries, clock, entry } = setting;
    const follower = createFollower(setting);
    const dead = horizon.newWriter();
    await horizon.publish({ writer: dead, next: 0 });
    await entries.insert([entry(1)]);
    const now = await clock();
    await horizon.removeSilent(now - hourMs);
    await follower.pollOften();
    expect(follower.ids).toEqual([]);
    await horizon.removeSilent(now + hourMs);
    await follower.untilRead(1);
  });

  it('does so as a chunk of an import, until that is done', async () => {
    const setting = await start();
    const { application, chunks, entries, entry } = setting;
    const follower = createFollower(setting);
    const job = new ObjectId().toHexString();
    await chunks.add({ job, application, seq: 0, lines: 1, part: job, bytes: 1 });
    const chunk = await chunks.claim(job, 60_000);
    await entries.insert([entry(1)]);
    await follower.pollOften();
    expect(follower.ids).toEqual([]);
    await chunks.commit(chunk?.id as string, chunk?.fence as number, { accepted: 1, rejected: 0 });
    await follower.untilRead(1);
  });
});

it('a process that stores nothing any more holds nothing back, and is forgotten', async () => {
  const setting = await start();
  const [quiet, busy, follower] = [createProcess(setting), createProcess(setting), createFollower(setting)];
  await (await quiet.begin()).end();
  const writers = async () => {
    const found = await setting.db.collection('horizon').findOne({});
    return found?.writers.length;
  };
  await until(async () => (await writers()) === 0);
  await (await busy.begin()).end();
  await follower.untilRead(2);
});

it.each([
  ['an hour behind', -hourMs],
  ['an hour ahead', hourMs],
])('a process whose clock is %s gives times of MongoDB', async (_what, offset) => {
  vi.useFakeTimers({ now: Date.now() + offset, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const setting = await start();
  const process = createProcess(setting);
  const before = await setting.clock();
  const { id, end } = await process.begin();
  const after = await setting.clock();
  await end();
  expect(timeOfId(id).getTime()).toBeGreaterThanOrEqual(before);
  expect(timeOfId(id).getTime()).toBeLessThanOrEqual(after);
});

it('tells entries of one millisecond apart', async () => {
  const setting = await start();
  const { entries, entry } = setting;
  const follower = createFollower(setting);
  await entries.insert(Array.from({ length: 25 }, (_, n) => entry(n)));
  await until(async () => {
    while (!(await follower.poll(3)));
    return follower.ids.length > 0;
  });
  const times = new Set(follower.ids.map((id) => id.slice(0, 12)));
  expect([follower.ids.length, new Set(follower.ids).size, times.size]).toEqual([25, 25, 1]);
});

it('reads all that is stored where no horizon is written', async () => {
  const setting = await start();
  await setting.entries.insert([setting.entry(1)]);
  await setting.db.collection('horizon').deleteMany({});
  const follower = createFollower(setting);
  await follower.untilRead(1);
});

it('with a filter goes on behind all that was looked at', async () => {
  const setting = await start();
  const { entries, entry, application } = setting;
  const filter = [{ path: ['n'], operator: 'eq' as const, value: -1 }];
  await entries.insert([entry(1)]);
  const follower = createFollower(setting);
  await follower.untilRead(1);
  const page = await entries.forward(application, { start: 0, limit: 2, filter });
  expect(page.entries).toEqual([]);
  expect(page.end?.localeCompare(follower.ids[0] as string)).toBe(1);
  expect((await entries.forward(application, { start: 0, limit: 2, after: page.end })).entries).toEqual([]);
});
