import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { createStepCounter, type TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { addMissed, type Missed } from '@sluice/store/refused/losses.ts';

/** What came in each step. */
export interface Counted {
  accepted: number[];
  /** Steps without any are absent. */
  missed: Map<number, Missed>;
}

function add({ missed }: Counted, step: number, more: Missed): void {
  const sum = missed.get(step) ?? { refused: 0, lost: {} };
  addMissed(sum, more);
  missed.set(step, sum);
}

/** Counts what was stored, refused and lost in each step. */
export function createCountUploads({
  entries,
  refusalCounts,
  senders,
}: Pick<Store, 'entries' | 'refusalCounts' | 'senders'>) {
  const periodOf = ({ from, length, count }: TimeSteps) => ({
    from: new Date(from),
    to: new Date(from + count * length),
  });

  /** Adds what was refused and lost of all. */
  async function withMissed(application: string, steps: TimeSteps, accepted: number[]): Promise<Counted> {
    const counted = { accepted, missed: new Map() };
    const { stepOf } = createStepCounter(steps);
    for (const minute of await refusalCounts.byMinute(application, periodOf(steps)))
      add(counted, stepOf(minute.at.getTime()), minute);
    return counted;
  }

  /** By the id of the ingest key; null: without one. With `only`, of that key alone. */
  async function byKey(
    { id, hasDeletions }: ApplicationRecord,
    steps: TimeSteps,
    only?: string,
  ): Promise<Map<string | null, Counted>> {
    const keys = await senders.keys(id);
    const isWanted = (key: string | null) => only === undefined || key === only;
    const { groups, rest } = await entries.sumSteps(id, steps, !hasDeletions, (sender) => keys.get(sender));
    const { stepOf, counts: none } = createStepCounter(steps);
    const counted = new Map<string | null, Counted>();
    for (const [key, accepted] of [...groups, [null, rest] as const])
      if (isWanted(key)) counted.set(key, { accepted, missed: new Map() });
    for await (const { at, keys: some } of refusalCounts.byMinuteAndKey(id, periodOf(steps)))
      for (const { key, ...missed } of some) {
        if (!isWanted(key)) continue;
        const own = counted.get(key) ?? { accepted: none, missed: new Map() };
        add(own, stepOf(at.getTime()), missed);
        counted.set(key, own);
      }
    return counted;
  }

  return {
    async all({ id, hasDeletions }: ApplicationRecord, steps: TimeSteps): Promise<Counted> {
      return withMissed(id, steps, await entries.countSteps(id, steps, !hasDeletions));
    },

    /** Of all, with the sums of their proofs; see `proofOf`. */
    async proven(
      { id, hasDeletions }: ApplicationRecord,
      steps: TimeSteps,
    ): Promise<Counted & { proofs: bigint[] }> {
      const { rest, proofs } = await entries.sumSteps(id, steps, !hasDeletions, () => undefined);
      return { ...(await withMissed(id, steps, rest)), proofs };
    },

    byKey,

    /** With one ingest key. */
    async ofKey(application: ApplicationRecord, steps: TimeSteps, key: string): Promise<Counted> {
      const found = (await byKey(application, steps, key)).get(key);
      return found ?? { accepted: createStepCounter(steps).counts, missed: new Map() };
    },
  };
}
