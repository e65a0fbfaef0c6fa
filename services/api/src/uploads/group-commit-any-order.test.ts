import { DeadlineError } from '@sluice/shared/deadline.ts';
import type { ApiError } from '@sluice/shared/errors.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeldInsert, numbered, settled } from '../../../../test/support/held-insert.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createCapacity } from '../limits/capacity.ts';
import { capacities, uploadBytes } from '../limits/table.ts';
import { createGroupCommit } from './group-commit.ts';

const outcomes: Outcome[] = ['stored', 'repeated', 'conflicting', 'unconfirmed', 'refused'];
const outcomeOf = (n: number) => outcomes[n % outcomes.length] as Outcome;

const limits = fc.record({
  inFlight: fc.integer({ min: 1, max: 3 }),
  entries: fc.integer({ min: 1, max: 8 }),
  bytes: fc.integer({ min: 1, max: 40 }),
});

const waiting = fc.integer({ min: 1, max: 10 });

const add = fc.record({
  do: fc.constant('add' as const),
  count: fc.integer({ min: 1, max: 5 }),
  bytes: fc.integer({ min: 0, max: 60 }),
  queue: fc.constantFrom('uploads' as const, 'batches' as const),
  application: fc.constantFrom('a', 'b').map((letter) => letter.repeat(24)),
  bad: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const step = fc.oneof(
  { weight: 5, arbitrary: add },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.constant({ do: 'wait' as const }) },
);

it('every caller learns what became of its own entries, each sent once, in whatever order all happens', async () => {
  await fc.assert(
    fc.asyncProperty(limits, waiting, fc.array(step, { maxLength: 60 }), async (bounds, most, steps) => {
      const { insert, commands, underWay } = createHeldInsert();
      const commit = createGroupCommit(
        insert,
        createCapacity({ ...capacities.uploads, limit: most * uploadBytes }),
        bounds,
      );
      const lost = new Set<number>();
      const callers: { numbers: number[]; bad: boolean; answer: Promise<unknown> }[] = [];
      let next = 0;

      async function end(which: number, how: 'answer' | 'fail'): Promise<void> {
        const command = underWay[which % underWay.length];
        if (!command) return;
        for (const n of command.numbers) if (how === 'fail') lost.add(n);
        await (how === 'fail'
          ? command.fail(new DeadlineError('late'))
          : command.answer(command.numbers.map(outcomeOf)));
      }

      for (const one of steps) {
        if (one.do === 'add') {
          const entries = numbered(next, one.count, one.application);
          if (one.bad) Object.assign(entries[0] as object, payloadOf({ n: next, bad: true }));
          try {
            const answer = commit
              .add(entries, one.bytes, one.queue, one.application)
              .catch((error: unknown) => error);
            const numbers = entries.map((_, i) => next + i);
            callers.push({ numbers, bad: one.bad, answer });
          } catch (error) {
            expect(one.queue).toBe('uploads');
            expect([429, 503]).toContain((error as ApiError).status);
          }
          next += one.count;
        } else if (one.do === 'wait') await settled();
        else await end(one.which, one.do);
        expect(underWay.length).toBeLessThanOrEqual(bounds.inFlight);
      }
      for (await settled(); underWay.length > 0; ) await end(0, 'answer');

      for (const { numbers, bad, answer } of callers) {
        const came = await answer;
        if (bad) expect(came).toBeInstanceOf(TypeError);
        else if (lost.has(numbers[0] as number)) expect(came).toBeInstanceOf(DeadlineError);
        else expect(came).toEqual(numbers.map(outcomeOf));
      }
      const sent = commands.flatMap(({ numbers }) => numbers);
      const due = callers.filter(({ bad }) => !bad).flatMap(({ numbers }) => numbers);
      expect(sent.toSorted((a, b) => a - b)).toEqual(due);
    }),
    runs(),
  );
});
