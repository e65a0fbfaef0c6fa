import { expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

const epoch = 1_700_000_000_000;

/** A MongoDB and a process whose clocks are the test's. */
function watch() {
  const mongodb = { now: epoch, majority: epoch };
  const process = { now: 0 };
  const watch = createClockWatch({ ask: async () => ({ ...mongodb }), clock: () => process.now });

  /** Both clocks go on. */
  function pass(ms: number): void {
    process.now += ms;
    mongodb.now += ms;
    mongodb.majority = mongodb.now;
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
  expect(watch().finalUntil()).toBeUndefined();
});

it('is sure once it has watched for the whole minute, of what is older than that', async () => {
  const { look, answersFor, finalUntil, pass } = watch();
  await look();
  await answersFor(59);
  expect(finalUntil()).toBeUndefined();
  await answersFor(1);
  expect(finalUntil()).toBe(epoch);
  await answersFor(10);
  expect(finalUntil()).toBe(epoch + 10_000);
  pass(4_000);
  expect(finalUntil()).toBe(epoch + 10_000);
});

it('bears single answers that do not come', async () => {
  const { look, answersFor, finalUntil, pass } = watch();
  await look();
  await answersFor(30);
  pass(4_000);
  await answersFor(30);
  expect(finalUntil()).toBe(epoch + 4_000);
});

it('says nothing when the last answer is old', async () => {
  const { look, answersFor, finalUntil, pass } = watch();
  await look();
  await answersFor(100);
  pass(5_001);
  expect(finalUntil()).toBeUndefined();
});

it('rejects with what became of the question', async () => {
  const watch = createClockWatch({ ask: () => Promise.reject(new Error('away')) });
  await expect(watch.look()).rejects.toThrow('away');
  expect(watch.finalUntil()).toBeUndefined();
});

it.each<[string, (of: ReturnType<typeof watch>) => void]>([
  ['MongoDB did not answer, or this process was stopped', ({ pass }) => pass(5_001)],
  [
    'the machine of this process slept while MongoDB went on',
    ({ mongodb }) => {
      mongodb.now += 5_001;
      mongodb.majority = mongodb.now;
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
      mongodb.majority = mongodb.now;
    },
  ],
])('begins anew when %s', async (_what, happen) => {
  const of = watch();
  await of.look();
  await of.answersFor(100);
  happen(of);
  await of.look();
  await of.answersFor(58);
  expect(of.finalUntil()).toBeUndefined();
  await of.answersFor(2);
  expect(of.finalUntil()).toBe(of.mongodb.now - 60_000);
});

it('is not sure of what the majority may not have yet, and begins anew when that stays behind', async () => {
  const { look, answersFor, finalUntil, mongodb, pass } = watch();
  await look();
  await answersFor(100);
  const behind = async (ms: number) => {
    pass(1_000);
    mongodb.majority = mongodb.now - ms;
    await look();
  };
  await behind(20_000);
  expect(finalUntil()).toBe(mongodb.now - 80_000);
  await behind(25_001);
  expect(finalUntil()).toBeUndefined();
  await answersFor(59);
  expect(finalUntil()).toBeUndefined();
  await answersFor(1);
  expect(finalUntil()).toBe(mongodb.now - 60_000);
});
