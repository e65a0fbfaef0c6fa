import { expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

const epoch = 1_700_000_000_000;

/** A MongoDB and a process whose clocks are the test's. */
function watch() {
  const mongodb = { now: epoch };
  const process = { now: 0 };
  const watch = createClockWatch({ ask: async () => mongodb.now, clock: () => process.now });

  /** Both clocks go on. */
  function pass(ms: number): void {
    process.now += ms;
    mongodb.now += ms;
  }

  return {
    ...watch,
    mongodb,
    process,
    pass,
    /** So long, with an answer every second. */
    async answersFor(seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second++) {
        pass(1_000);
        await watch.look();
      }
    },
  };
}

it('knows of nothing before it has looked', () => {
  expect(watch().decidedUntil()).toBeUndefined();
});

it('is sure once it has watched for the whole minute, of what is older than that', async () => {
  const { look, answersFor, decidedUntil, pass } = watch();
  await look();
  await answersFor(59);
  expect(decidedUntil()).toBeUndefined();
  await answersFor(1);
  expect(decidedUntil()).toBe(epoch);
  await answersFor(10);
  expect(decidedUntil()).toBe(epoch + 10_000);
  pass(4_000);
  expect(decidedUntil()).toBe(epoch + 10_000);
});

it('bears single answers that do not come', async () => {
  const { look, answersFor, decidedUntil, pass } = watch();
  await look();
  await answersFor(30);
  pass(4_000);
  await answersFor(30);
  expect(decidedUntil()).toBe(epoch + 4_000);
});

it('says nothing when the last answer is old', async () => {
  const { look, answersFor, decidedUntil, pass } = watch();
  await look();
  await answersFor(100);
  pass(5_001);
  expect(decidedUntil()).toBeUndefined();
});

it('rejects with what became of the question', async () => {
  const watch = createClockWatch({ ask: () => Promise.reject(new Error('away')) });
  await expect(watch.look()).rejects.toThrow('away');
  expect(watch.decidedUntil()).toBeUndefined();
});

it.each<[string, (of: ReturnType<typeof watch>) => void]>([
  ['MongoDB did not answer, or this process was stopped', ({ pass }) => pass(5_001)],
  [
    'the machine of this process slept while MongoDB went on',
    ({ mongodb }) => {
      mongodb.now += 5_001;
    },
  ],
  [
    'a MongoDB was stopped with its clock',
    ({ process }) => {
      process.now += 5_001;
    },
  ],
  [
    'the clock of MongoDB was set back',
    ({ mongodb }) => {
      mongodb.now -= 2_000;
    },
  ],
])('begins anew when %s', async (_what, happen) => {
  const of = watch();
  await of.look();
  await of.answersFor(100);
  happen(of);
  await of.look();
  await of.answersFor(58);
  expect(of.decidedUntil()).toBeUndefined();
  await of.answersFor(2);
  expect(of.decidedUntil()).toBe(of.mongodb.now - 60_000);
});
