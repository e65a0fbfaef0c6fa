import { type LakeManifest, liveManifests } from '@sluice/objects/lake/manifest.ts';
import { expect, it } from 'vitest';
import { mergeOf } from './merging.ts';

const sha256 = '0'.repeat(64);

/** What runs leave that have so many entries each: manifests, and entries written. */
function simulate(runs: number, entriesOf: (run: number) => number) {
  let live: LakeManifest[] = [];
  let written = 0;
  let most = 0;
  let largest = 0;
  for (let run = 1; run <= runs; run++) {
    const merge = mergeOf(live, run);
    const replaced = merge ? live.filter((one) => one.run >= merge.replaces) : [];
    const entries = replaced.reduce((sum, { files }) => sum + (files[0]?.entries ?? 0), entriesOf(run));
    written += entries;
    largest = Math.max(largest, entries);
    live.push({
      run,
      domain: 'a',
      format: 'parquet',
      announced: run,
      replaces: merge?.replaces,
      files: [{ name: `${run}`, entries, bytes: 1, sha256, first: '0'.repeat(28), last: '0'.repeat(28) }],
      schemas: [1],
    });
    if (merge) live = liveManifests(live);
    most = Math.max(most, live.length);
  }
  const stored = live.reduce((sum, { files }) => sum + (files[0]?.entries ?? 0), 0);
  return { most, written, stored, largest };
}

const runsOfWeek = (7 * 86_400) / 10;

it.each([
  // A week with a run every 10 s, of 1, 10 and 1,000 entries a second.
  [1, { manifests: 40, times: 5 }],
  [10, { manifests: 45, times: 4.5 }],
  [1_000, { manifests: 960, times: 2.8 }],
])(
  'merges what has %i entries a second so that files stay few, and each entry is written few times',
  (rate, limit) => {
    const { most, written, stored, largest } = simulate(runsOfWeek, () => 10 * rate);
    expect(stored).toBe(runsOfWeek * 10 * rate);
    expect(most).toBeLessThanOrEqual(limit.manifests);
    expect(written / stored).toBeLessThanOrEqual(limit.times);
    expect(largest).toBeLessThanOrEqual(1_000_000 + 10 * rate);
  },
);
