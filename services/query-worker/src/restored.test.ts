import { cpSync, existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { askedIds } from '../../../test/support/asked-ids.ts';
import { dyingStore } from '../../../test/support/dying-store.ts';
import { runs as times } from '../../../test/support/runs.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('insert' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(99) }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('kill' as const), call: fc.nat(3), isAfter: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('age' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('forget' as const) }) },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('ask' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A database, and the folder that questions to it have files in. */
function world({
  store,
  application,
  domain,
  root,
  insert,
  storedIds,
  run,
}: Awaited<ReturnType<typeof archiveRuns>>) {
  const startRun = async () => void (await run(await store.askedArchives.ask(application)));
  const { segmentsOf } = createSegments({ store, startRun, folder: root, freshMs: 0 });

  const answer = async () => askedIds(await segmentsOf(application, domain, never));

  /** Kills the worker of the next run. */
  async function kill(call: number, isAfter: boolean): Promise<void> {
    const objects = dyingStore(folderStore(root), call, isAfter);
    const asked = await store.askedArchives.ask(application);
    await run(asked, { objects }).catch(() => undefined);
  }

  /** As if what is there were made long ago. */
  function age(): void {
    const questions = join(root, '_questions');
    const names = existsSync(questions) ? readdirSync(questions, { recursive: true, encoding: 'utf8' }) : [];
    for (const name of names) if (name.endsWith('.json')) utimesSync(join(questions, name), 0, 0);
  }

  return {
    answer,
    async take(one: Step): Promise<void> {
      const ids = await storedIds();
      if (one.what === 'insert') await insert(one.count);
      if (one.what === 'delete' && ids.length > 0)
        await store.deletions.removeOne(application, ids[one.place % ids.length] as string);
      if (one.what === 'kill') await kill(one.call, one.isAfter);
      if (one.what === 'age') age();
      if (one.what === 'forget') await store.askedArchives.forget(application);
      if (one.what === 'ask') expect(await answer()).toEqual(ids);
    },
  };
}

it('answers what a restored database has, whatever its folder has of other times', async () => {
  const asks = (count: number): Step[] =>
    Array.from({ length: count }, () => [
      { what: 'insert', count: 1 } as const,
      { what: 'ask' } as const,
    ]).flat();
  const steps = fc.array(step, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(63),
      fc.boolean(),
      steps,
      steps,
      steps,
      steps,
      async (run, isOlder, older, before, lost, after) => {
        const runs = await archiveRuns();
        const first = world(runs);
        await runs.store.askedArchives.ask(runs.application);
        // Runs that merge are not far.
        await runs.db.collection('archives').updateOne({}, { $set: { run: run + 1 } });
        for (const one of older) await first.take(one);
        const saved = ownFolder();
        cpSync(runs.root, saved, { recursive: true, preserveTimestamps: true });
        for (const one of before) await first.take(one);
        const backup = await runs.backUp();
        for (const one of lost) await first.take(one);

        const restored = await archiveRuns({ ...backup, root: isOlder ? saved : runs.root });
        const second = world(restored);
        const refused: unknown[] = [];
        for (const one of [...after, { what: 'ask' } as const]) {
          // What is prepared anew is there at the next question.
          if (one.what !== 'ask') await second.take(one);
          else
            for (let tries = 0; ; tries++) {
              const found = await second.answer().catch((error) => void refused.push(error));
              if (found) {
                expect(found).toEqual(await restored.storedIds());
                break;
              }
              if (tries === 3) throw refused.at(-1);
            }
        }
      },
    ),
    {
      ...times(3, 8),
      // The eighth run replaces the others: the folder had one manifest then, and has one now.
      examples: [[0, true, asks(1), asks(7), [], []]],
    },
  );
});
