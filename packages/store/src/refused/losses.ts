/** What is lost before it is validated. */
export const lossKinds = [
  'not_json',
  'too_large',
  'media_type',
  'no_key',
  'wrong_key',
  'rate',
  'cut',
] as const;
export type LossKind = (typeof lossKinds)[number];
export type LossCounts = Partial<Record<LossKind, number>>;

/** What was refused or lost. */
export interface Missed {
  /** Uploads that were refused for their content. */
  refused: number;
  lost: LossCounts;
}

/** What came with an ingest key, by its id; `null`: without one. */
export interface KeyCount extends Missed {
  key: string | null;
}

export const sumOf = (lost: LossCounts): number => Object.values(lost).reduce((sum, count) => sum + count, 0);

/** Adds to a count, or takes away where `times` is -1. */
export function addMissed(to: Missed, { refused, lost }: Missed, times = 1): void {
  to.refused += times * refused;
  for (const kind of lossKinds) if (lost[kind]) to.lost[kind] = (to.lost[kind] ?? 0) + times * lost[kind];
}
