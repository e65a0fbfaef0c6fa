export interface Summary {
  median: number;
  min: number;
  max: number;
}

export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const at = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, at)] ?? Number.NaN;
}

export function summarize(values: number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The ratio of the medians. `least` and `most` are ratios of single rounds, which ran within the same minute. */
export function ratioOf(over: number[], under: number[]): Summary {
  const perRound = summarize(over.map((value, round) => value / (under[round] as number)));
  return { ...perRound, median: summarize(over).median / summarize(under).median };
}
