import { defineConfig } from 'vitest/config';
import { usual } from '../../vitest.config.ts';

/** Uploaders in other languages, compiled and run. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/support/global-setup.ts',
    // A compiler needs both processors.
    maxWorkers: 1,
    include: ['test/uploaders/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
