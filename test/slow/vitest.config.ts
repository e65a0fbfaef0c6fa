import { defineConfig } from 'vitest/config';
import { maxWorkers, usual } from '../../vitest.config.ts';

/** Of `npm test`, but with more runs here. */
const longer = [
  'packages/schemas/src/changes/changes-between.test.ts',
  'packages/store/src/entries/{backdated,deletions,step-counts}.test.ts',
  'services/api/src/imports/split.test.ts',
  'services/export-worker/src/formats/{parquet/versions-tree,zip/tables-zip}.test.ts',
  'test/journeys/{entries-changing,export-arrays,import-of-export,listing-deep}.test.ts',
];

/** Tests that kill processes, run long or try other programs. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers,
    include: ['test/slow/**/*.test.ts', ...longer],
    env: { ...usual.env, LONG_RUNS: 'on' },
  },
});
