import { liveManifests } from '@sluice/objects/lake/live-manifests.ts';
import type { LakeManifest } from '@sluice/objects/lake/manifest.ts';
import { expect, it } from 'vitest';
import { isMergeDue, mergeOf } from './merging.ts';

const sha256 = '0'.repeat(64);
const id = '0'.repeat(28);

const manifestOf = (run: number, entries: number): LakeManifest => ({
  run,
  domain: 'a',
  format: 'parquet',
  untilVersion: run,
  files: [{ name: `${run}`, entries, bytes: 1, sha256, first: id, last: id }],
  schemas: [1],
});

const entriesOf = (manifests: LakeManifest[]) =>
  manifests.reduce((sum, { files }) => sum + (files[0]?.entries ?? 0), 0);

const dueOf = (live: LakeManifest[], run: number) => (isMergeDue(run) ? mergeOf(live, run) : undefined);

/** What runs leave that have so many entries each, and merges behind them: manifests, and entries written. */
function simulate(runs: number, entries: number) {
  let live: LakeManifest[] = [];
  let written = 0;
  let most = 0;
  let largest = 0;
  for (let run = 1; run <= runs; run++) {
    live.push(manifestOf(run, entries));
    written += entries;
    most = Math.max(most, live.length);
    for (let merged = dueOf(live, run); merged; merged = dueOf(live, run)) {
      const all = entriesOf(merged);
      const last = merged.at(-1)?.run as number;
      const { run: first, replaces = first } = merged[0];
      live = liveManifests([...live, { ...manifestOf(last, all), merge: 1, replaces }]);
      written += all;
      largest = Math.max(largest, all);
    }
  }
  return { most, written, stored: entriesOf(live), largest };
}

const runsOfWeek = (7 * 86_400) / 10;

it.each([
  // A week with a run every 10 s, of 1, 10 and 1,000 entries a second.
  [1, { manifests: 40, times: 5.1 }],
  [10, { manifests: 45, times: 4.6 }],
  [1_000, { manifests: 960, times: 2.9 }],
])(
  'merges what has %i entries a second so that files stay few, and each entry is written few times',
  (rate, limit) => {
    const { most, written, stored, largest } = simulate(runsOfWeek, 10 * rate);
    expect(stored).toBe(runsOfWeek * 10 * rate);
    expect(most).toBeLessThanOrEqual(limit.manifests);
    expect(written / stored).toBeLessThanOrEqual(limit.times);
    expect(largest).toBeLessThanOrEqual(1_000_000);
  },
);
