import type { Logger } from '@sluice/shared/logger.ts';
import type { ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { HorizonStore } from '@sluice/store/entries/horizon.ts';
import type { MilestoneStore } from '@sluice/store/entries/milestones.ts';

const applicationsAtOnce = 500;
/** So many passes an application is left alone to which nothing has come. */
const passesAtRest = 3;
/** Milestones of one application in one pass. */
const milestonesAtOnce = 40;

interface Dependencies {
  applications: Pick<ApplicationStore, 'living'>;
  milestones: MilestoneStore;
  horizon: Pick<HorizonStore, 'latest' | 'of'>;
  log: Logger;
}

/** Sets milestones below the horizon. Remembers counts only to save counting again. */
export function createSetMilestones({ applications, milestones, horizon, log }: Dependencies) {
  /** Application → how many entries of before `until` are beyond its last milestone, as of a version; how many passes it is left alone. */
  const counted = new Map<string, { version: number; until: number; entries: number; rest: number }>();

  async function* living(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const ids = await applications.living(after, applicationsAtOnce);
      yield* ids;
      if (ids.length < applicationsAtOnce) return;
      after = ids.at(-1);
    }
  }

  async function advance(id: string, final: number): Promise<'more' | 'enough'> {
    const last = counted.get(id);
    if (last && last.rest > 0) {
      last.rest -= 1;
      return 'enough';
    }
    const version = await milestones.version(id);
    const known = last?.version === version ? last : undefined;
    const bound = await horizon.of(id, final);
    if (known && bound <= known.until) return 'enough';
    const come = await milestones.countAbove(id, bound, known?.until);
    const entries = (known?.entries ?? 0) + come;
    if (entries < milestones.spacing) {
      counted.set(id, { version, until: bound, entries, rest: known && come === 0 ? passesAtRest : 0 });
      return 'enough';
    }
    counted.delete(id);
    return (await milestones.set(id, bound, milestonesAtOnce)) === milestonesAtOnce ? 'more' : 'enough';
  }

  /** One pass over all applications, then further ones over those that need more milestones. */
  return async function setMilestones(signal: AbortSignal): Promise<void> {
    const final = await horizon.latest();
    let behind: string[] = [];
    const seen = new Set<string>();

    async function pass(id: string): Promise<void> {
      try {
        if ((await advance(id, final)) === 'more') behind.push(id);
      } catch (error) {
        // It must not keep the others waiting.
        if (!signal.aborted)
          log.warn({ event: 'milestones.failed', application: id, reason: (error as Error).message });
      }
    }

    for await (const id of living()) {
      if (signal.aborted) return;
      seen.add(id);
      await pass(id);
    }
    for (const id of counted.keys()) if (!seen.has(id)) counted.delete(id);
    while (behind.length > 0 && !signal.aborted) {
      const next = behind;
      behind = [];
      for (const id of next) await pass(id);
    }
  };
}
