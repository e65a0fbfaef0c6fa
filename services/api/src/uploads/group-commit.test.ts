import { DeadlineError } from '@sluice/shared/deadline.ts';
import { UnconfirmedError } from '@sluice/store/faults.ts';
import { MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createHeldInsert,
  type HeldCommand,
  numbered,
  settled,
} from '../../../../test/support/held-insert.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { createCapacity } from '../limits/capacity.ts';
import { capacities, uploadBytes } from '../limits/table.ts';
import { type CommitSizes, createGroupCommit } from './group-commit.ts';

const roomy: CommitSizes = { inFlight: 1, entries: 100, bytes: 1_000 };

const owner = 'one';

function start(limits: Partial<CommitSizes> = {}, waiting = 1_000) {
  const { insert, commands, underWay } = createHeldInsert();
  const capacity = createCapacity({ ...capacities.uploads, limit: waiting * uploadBytes });
  const commit = createGroupCommit(insert, capacity, { ...roomy, ...limits });
  /** What becomes of one upload: its outcomes, or why there are none. */
  const upload = (n: number, bytes = 10) =>
    commit.add(numbered(n), bytes, 'uploads', owner).catch((error: unknown) => error);
  const chunk = (first: number, count: number, bytes = 10 * count) =>
    commit.add(numbered(first, count), bytes, 'batches', owner).catch((error: unknown) => error);
  const seen = () => commands.map(({ numbers }) => numbers);
  return { commit, commands, underWay, upload, chunk, seen };
}

describe('uploads', () => {
  it('go at once when nothing is on its way', async () => {
    const { commands, upload, seen } = start();
    const answer = upload(1);
    await settled();
    expect(seen()).toEqual([[1]]);
    await commands[0]?.answer(['repeated']);
    expect(await answer).toEqual(['repeated']);
  });

  it('go together when they arrive together', async () => {
    const { upload, seen } = start();
    for (const n of [1, 2, 3]) upload(n);
    await settled();
    expect(seen()).toEqual([[1, 2, 3]]);
  });

  it('that arrive while a command is on its way go together with the next', async () => {
    const { commands, upload, seen } = start();
    for (const n of [1, 2, 3]) {
      upload(n);
      await settled();
    }
    expect(seen()).toEqual([[1]]);
    await commands[0]?.answer();
    expect(seen()).toEqual([[1], [2, 3]]);
  });

  it.each([1, 2, 5])('are on their way in at most %i commands', async (inFlight) => {
    const { commands, underWay, upload } = start({ inFlight, entries: 1 });
    const answers = Array.from({ length: 12 }, (_, n) => upload(n));
    for (let answered = 0; answered < 12; answered++) {
      await settled();
      expect(underWay).toHaveLength(Math.min(inFlight, 12 - answered));
      await (underWay[0] as HeldCommand).answer();
    }
    expect(await Promise.all(answers)).toEqual(Array(12).fill(['stored']));
    expect(commands).toHaveLength(12);
  });

  it.each([
    ['entries', { entries: 2 }, [10, 10, 10, 10, 10], [[0, 1], [2, 3], [4]]],
    ['bytes', { bytes: 30 }, [10, 10, 10, 10], [[0, 1, 2], [3]]],
    ['bytes, in the order of arrival', { bytes: 30 }, [20, 20, 10, 1], [[0], [1, 2], [3]]],
    ['an upload above the bytes', { bytes: 30 }, [10, 31, 10], [[0], [1], [2]]],
    ['no bytes', { bytes: 30 }, [0, 30, 0, 0], [[0, 1, 2, 3]]],
  ])('go in commands limited by %s', async (_what, limits, sizes, expected) => {
    const { underWay, upload, seen } = start(limits);
    for (const [n, bytes] of sizes.entries()) upload(n, bytes);
    for (await settled(); underWay[0]; ) await underWay[0].answer();
    expect(seen()).toEqual(expected);
  });

  it.each([
    ['entries', 4, 10],
    ['bytes', 8, 2 * uploadBytes],
  ])(
    'are refused while too many %s wait, of one owner or in all, and taken again afterwards',
    async (_what, waitingUploads, bytes) => {
      const { commit, commands, upload, seen } = start({ bytes: 10 * uploadBytes }, waitingUploads);
      const another = 'b'.repeat(24);
      const refusal = (status: number) =>
        expect.objectContaining({ status, headers: { 'retry-after': '2' } });
      upload(1, bytes);
      await settled();
      const waiting = [2, 3, 4].map((n) => upload(n, bytes));
      const add = (n: number, of: string) => commit.add(numbered(n, 1, another), bytes, 'uploads', of);
      expect(() => add(5, owner)).toThrow(refusal(429));
      const ofOther = add(6, 'other');
      expect(() => add(7, 'other')).toThrow(refusal(503));
      await commands[0]?.answer();
      await commands[1]?.answer();
      expect(await Promise.all([...waiting, ofOther])).toEqual(Array(4).fill(['stored']));
      const late = [8, 9, 10].map((n) => upload(n, bytes));
      await settled();
      await commands[2]?.answer();
      expect(await Promise.all(late)).toEqual(Array(3).fill(['stored']));
      expect(seen()).toEqual([[1], [2, 3, 4, 6], [8, 9, 10]]);
    },
  );
});

describe('a chunk of a batch', () => {
  it('goes whole, with the uploads that wait', async () => {
    const { upload, chunk, seen } = start({ entries: 4 });
    chunk(10, 4);
    for (const n of [1, 2, 3, 4]) upload(n);
    await settled();
    expect(seen()).toEqual([[1, 2, 3, 4, 10, 11, 12, 13]]);
  });

  it('goes with the next command, however many uploads wait', async () => {
    const { commands, upload, chunk, seen } = start({ entries: 2 });
    for (let n = 0; n < 10; n++) upload(n);
    await settled();
    chunk(100, 2);
    await commands[0]?.answer();
    expect(seen()[1]).toEqual([2, 3, 100, 101]);
  });

  it('does not hold up an upload, however many chunks wait', async () => {
    const { commands, upload, chunk, seen } = start({ entries: 2 }, 5);
    for (let n = 0; n < 100; n += 2) chunk(1_000 + n, 2);
    await settled();
    upload(1);
    await commands[0]?.answer();
    expect(seen()[1]).toEqual([1, 1_002, 1_003]);
  });
});

describe('an entry that cannot be sent', () => {
  it('fails alone', async () => {
    const { commit, upload, seen, underWay } = start();
    const bad = commit.add([{ application: '', ...payloadOf({ bad: true }) }], 10, 'uploads', owner);
    const fails = expect(bad).rejects.toThrow('cannot be sent');
    const answers = [upload(1), upload(2)];
    for (await settled(); underWay[0]; ) await underWay[0].answer();
    await fails;
    expect(await Promise.all(answers)).toEqual([['stored'], ['stored']]);
    expect(seen()).toEqual([[1], [2]]);
  });
});

it.each([
  new DeadlineError('late'),
  new UnconfirmedError('not by a majority'),
  new MongoNetworkError('cut'),
  new MongoServerSelectionError('away', {} as never),
])('a fault of the store (%s) fails all of its command, and nothing of it is sent again', async (fault) => {
  const { commands, upload, chunk, seen } = start();
  const answers = [upload(1), upload(2), chunk(3, 2)];
  await settled();
  const next = upload(9);
  await commands[0]?.fail(fault);
  expect(await Promise.all(answers)).toEqual([fault, fault, fault]);
  await commands[1]?.answer();
  expect(await next).toEqual(['stored']);
  expect(seen()).toEqual([[1, 2, 3, 4], [9]]);
});

describe('an item above the bytes of a command', () => {
  it('goes alone when it is a chunk', async () => {
    const { commands, upload, chunk, seen } = start({ bytes: 30 });
    void upload(1);
    void chunk(100, 1, 31);
    await settled();
    await commands[0]?.answer();
    expect(seen().toSorted()).toEqual([[1], [100]]);
  });

  it('does not keep chunks waiting, however many uploads are such', async () => {
    const { commands, upload, chunk, seen } = start({ bytes: 30 });
    for (let n = 0; n < 20; n++) void upload(n, 31);
    void chunk(100, 1);
    await settled();
    for (let n = 0; n < 3; n++) await commands[n]?.answer();
    expect(seen().flat()).toContain(100);
  });
});

it('refuses what has waited too long when its turn comes, and takes what came later', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { commands, upload, seen } = start();
  void upload(1);
  await settled();
  const late = upload(2);
  vi.advanceTimersByTime(5_001);
  const later = upload(3);
  await commands[0]?.answer();
  await settled();
  await commands[1]?.answer();
  expect(await late).toMatchObject({ name: 'ServiceUnavailableError', headers: { 'retry-after': '2' } });
  expect(await later).toEqual(['stored']);
  expect(seen()).toEqual([[1], [3]]);
});
