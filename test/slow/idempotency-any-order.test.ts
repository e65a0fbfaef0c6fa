import fc from 'fast-check';
import { it, onTestFinished } from 'vitest';
import { createWorld, type Step, step } from '../support/any-order-world.ts';
import { createApiProcess } from '../support/api-process.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { runs } from '../support/runs.ts';
import { startSluice } from '../support/sluice.ts';

/** Of each run, some of them at once; the long run is FUZZ_RUNS=200. */
const steps = 50;
const mostAtOnce = 6;

it.each(['key', 'value'] as const)(
  'a %s has one entry at most, a retry of it is 201, counts by key add up, and exports and webhooks have each once, whatever happens in any order',
  async (identity) => {
    const sluice = await startSluice({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
    onTestFinished(() => sluice.stop());
    removeSilent(sluice.env.MONGODB_URL as string);
    const other = await createApiProcess(sluice.env);
    await other.start();
    const waves = fc
      .array(fc.tuple(step, fc.integer({ min: 1, max: mostAtOnce })), { minLength: steps, maxLength: steps })
      .map((all) => {
        const cut: Step[][] = [];
        for (const [one, size] of all) {
          const last = cut.at(-1);
          if (last && last.length < size) last.push(one);
          else cut.push([one]);
        }
        return cut;
      });
    const worlds: Awaited<ReturnType<typeof createWorld>>[] = [];
    const run = fc.asyncProperty(waves, async (all) => {
      const world = await createWorld(sluice, other, identity);
      for (const some of all) {
        await world.take(some);
        await world.expectOnce();
        await world.expectCounts();
      }
      await world.retryAll();
      worlds.push(world);
    });
    // Each step costs some requests: the steps that fail are told, not shrunk.
    await fc.assert(run, { ...runs(3), endOnFailure: true });
    for (const { expectDelivered } of worlds) await expectDelivered();
  },
  7_200_000,
);
