import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { createSideBySide } from './side-by-side.ts';

const tasks = fc.array(fc.record({ turns: fc.nat(6), fails: fc.boolean() }), { maxLength: 30 });

it('never runs more than it may, tells of the first failure, and begins nothing after it', async () => {
  await fc.assert(
    fc.asyncProperty(tasks, fc.integer({ min: 1, max: 5 }), async (list, atOnce) => {
      const sideBySide = createSideBySide(atOnce);
      let [running, most, begun] = [0, 0, 0];
      const failed: number[] = [];
      const told: unknown[] = [];
      for (const [place, { turns, fails }] of list.entries()) {
        const failedBefore = failed.length > 0;
        const begunBefore = begun;
        const task = async () => {
          begun += 1;
          most = Math.max(most, ++running);
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          if (!fails) return;
          failed.push(place);
          throw place;
        };
        await sideBySide.add(task).catch((error) => told.push(error));
        if (failedBefore) expect(begun).toBe(begunBefore);
      }
      await sideBySide.finish().catch((error) => told.push(error));
      expect(running).toBe(0);
      expect(most).toBeLessThanOrEqual(atOnce);
      expect(new Set(told)).toEqual(new Set(failed.slice(0, 1)));
      if (failed.length === 0) expect(begun).toBe(list.length);
    }),
    runs(),
  );
});
