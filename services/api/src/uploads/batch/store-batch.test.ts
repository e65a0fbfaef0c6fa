import { type LineError, unavailable } from '@sluice/shared/errors.ts';
import type { Examiner } from '@sluice/shared/intake/examiner.ts';
import type { Intake } from '@sluice/shared/intake/intake.ts';
import { createLeafSet } from '@sluice/shared/intake/leaf-set.ts';
import { createRecordLeaves } from '@sluice/shared/intake/record-leaves.ts';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../../test/support/own-database.ts';
import type { ApplicationCache } from '../application-cache.ts';
import { createGroupCommit } from '../group-commit.ts';
import { createExamineLines } from './examine-lines.ts';
import { linesOf } from './lines.ts';
import { createStoreBatch } from './store-batch.ts';

const count = 4;
const body = Buffer.from(Array.from({ length: count }, (_, n) => `{"n":${n}}`).join('\n'));

/** Takes every line, but for one time when too many others wait. */
function busyAt(turn: number): Pick<Examiner, 'examine'> {
  let turns = 0;
  return {
    async examine(_application, json) {
      turns += 1;
      if (turns === turn) throw unavailable('too many large uploads are waiting; nothing was stored', 1);
      return { ok: true, json, text: json.toString(), leaves: [] };
    },
  };
}

async function start(
  examiner: Pick<Examiner, 'examine'>,
  { livesFor = Number.POSITIVE_INFINITY, atomic = true } = {},
) {
  let looks = 0;
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const application = {
    id: new ObjectId().toHexString(),
    leaves: createLeafSet(),
    recorded: { overflow: false, closed: false },
  } as Intake;
  const storeBatch = createStoreBatch({
    cache: {
      get: async () => (looks++ < livesFor ? application : undefined),
    } as unknown as ApplicationCache,
    commit: createGroupCommit(store.entries.insert),
    recordLeaves: createRecordLeaves(store.leaves),
    batches: store.batches,
    examineLines: createExamineLines(1_000, examiner),
    storedQuota: undefined,
  });
  const send = () => storeBatch('any', { lines: linesOf(body, count), body, atomic, key: 'k' });
  return { send, stored: () => store.entries.count(application.id, {}) };
}

it.each(Array.from({ length: 2 * count }, (_, i) => i + 1))(
  'an atomic batch whose examiner is busy at turn %i is not stored at all, and its key is free',
  async (turn) => {
    const { send, stored } = await start(busyAt(turn));
    await expect(send()).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    expect(await stored()).toBe(0);
    expect(await send()).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect(await stored()).toBe(count);
    expect(await send()).toMatchObject({ accepted: count });
    expect(await stored()).toBe(count);
  },
);

it.each([true, false])(
  'a batch stores nothing once its application is deleted (atomic: %s)',
  async (atomic) => {
    const { send, stored } = await start(busyAt(0), { livesFor: 1, atomic });
    await expect(send()).rejects.toMatchObject({ name: 'ResourceNotFoundError' });
    expect(await stored()).toBe(0);
  },
);

it('lines for which a batch has no time left are refused, each with the reason, and the others stored', async () => {
  const slow: Pick<Examiner, 'examine'> = {
    async examine(_application, json) {
      const end = performance.now() + 30;
      await expect.poll(() => performance.now() > end, { interval: 5 }).toBe(true);
      return { ok: true, json, text: json.toString(), leaves: [] };
    },
  };
  const examineLines = createExamineLines(1_000, slow, 20);
  const errors: LineError[] = [];
  const lines: number[] = [];
  for await (const chunk of examineLines(
    { id: new ObjectId().toHexString() } as Intake,
    linesOf(body, count),
    errors,
  ))
    lines.push(...chunk.lines);
  expect(lines).toEqual([1]);
  expect(errors.map(({ line, name }) => [line, name])).toEqual(
    [2, 3, 4].map((line) => [line, 'ServiceUnavailableError']),
  );
  expect(errors[0]?.message).toContain('this line was not stored');
});
