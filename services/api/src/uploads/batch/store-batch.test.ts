import { unavailable } from '@sluice/shared/errors.ts';
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

async function start(turn: number) {
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const application = {
    id: new ObjectId().toHexString(),
    leaves: createLeafSet(),
    recorded: { overflow: false, closed: false },
  } as Intake;
  const storeBatch = createStoreBatch({
    cache: { get: async () => application } as unknown as ApplicationCache,
    commit: createGroupCommit(store.entries.insert),
    recordLeaves: createRecordLeaves(store.leaves),
    batches: store.batches,
    examineLines: createExamineLines(1_000, busyAt(turn)),
    storedQuota: undefined,
  });
  const send = () => storeBatch('any', { lines: linesOf(body, count), body, atomic: true, key: 'k' });
  return { send, stored: () => store.entries.count(application.id, {}) };
}

it.each(Array.from({ length: 2 * count }, (_, i) => i + 1))(
  'an atomic batch whose examiner is busy at turn %i is not stored at all, and its key is free',
  async (turn) => {
    const { send, stored } = await start(turn);
    await expect(send()).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    expect(await stored()).toBe(0);
    expect(await send()).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect(await stored()).toBe(count);
    expect(await send()).toMatchObject({ accepted: count });
    expect(await stored()).toBe(count);
  },
);
