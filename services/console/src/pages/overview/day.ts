import type { Schemas } from '../../api/client.ts';
import { countLost, type Lost, lossKinds, noneLost, sumLost } from '../../api/losses.ts';

/** What came in an hour, or a minute. */
export type HourCount = Pick<Schemas['Stats'], 'at' | 'accepted' | 'refused' | 'lost'>;

type Kind = keyof Lost;

export interface Sums {
  accepted: number;
  refused: number;
  lost: number;
}

export const hoursOfDay = 24;
export const hoursOfWeek = 7 * hoursOfDay;

export const sumSteps = (steps: HourCount[]): Sums =>
  steps.reduce(
    (sum, step) => ({
      accepted: sum.accepted + step.accepted,
      refused: sum.refused + (step.refused ?? 0),
      lost: sum.lost + countLost(step.lost ?? noneLost),
    }),
    { accepted: 0, refused: 0, lost: 0 },
  );

/** The part of all uploads that was refused. Undefined without any. */
export const refusedShare = ({ accepted, refused, lost }: Sums): number | undefined =>
  accepted + refused + lost > 0 ? refused / (accepted + refused + lost) : undefined;

/** The kind of most losses, with its count. Undefined without any. */
export function worstLoss(steps: HourCount[]): [kind: Kind, count: number] | undefined {
  const sums = sumLost(steps.map(({ lost }) => lost ?? noneLost));
  const worst = lossKinds.toSorted((a, b) => sums[b] - sums[a])[0] as Kind;
  return sums[worst] > 0 ? [worst, sums[worst]] : undefined;
}

/** The most whole hours without an entry between two hours with one. Undefined with fewer than two of those. */
export function longestGap(hours: HourCount[]): number | undefined {
  const filled = hours.flatMap(({ accepted }, hour) => (accepted > 0 ? [hour] : []));
  const gaps = filled.slice(1).map((hour, place) => hour - (filled[place] as number) - 1);
  return gaps.length > 0 ? Math.max(...gaps) : undefined;
}

/** How much more or less it is than before, as a part of it. Undefined where nothing was before. */
export const changeOf = (now: number, before: number): number | undefined =>
  before > 0 ? (now - before) / before : undefined;

/** What one key, or everything without a key, has sent; most entries first. */
export function sumByKey(rows: Schemas['Stats'][]): ({ key: string | null } & Sums)[] {
  const keys = Map.groupBy(rows, ({ key }) => key ?? null);
  return [...keys]
    .map(([key, own]) => ({ key, ...sumSteps(own) }))
    .toSorted((a, b) => b.accepted - a.accepted || b.refused - a.refused);
}
