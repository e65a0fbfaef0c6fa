import { configDefaults, defineConfig } from 'vitest/config';
import { maxWorkers, usual } from '../../vitest.config.ts';

/** The journeys and the tests of the store on a sharded MongoDB: that of MONGODB_URL, else the stand-in for `mongos`. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/sharded/global-setup.ts',
    maxWorkers,
    include: ['test/journeys/**/*.test.ts', 'packages/{store,jobs}/**/*.test.ts'],
    // They are about replica sets, or put stand-ins of their own before one.
    exclude: [
      ...configDefaults.exclude,
      'test/journeys/{admin-doctor,admin-shard}.test.ts',
      'packages/store/src/entries/key-records.test.ts',
    ],
  },
});
