import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'services/**/*.test.ts',
      'local/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
      'deploy/**/*.test.ts',
      'test/{journeys,support}/**/*.test.ts',
    ],
    globalSetup: 'test/support/global-setup.ts',
    // Most of a journey is waiting: for a lease to end, or for a fault to be noticed.
    maxWorkers: 4,
    // To load the services takes longer than most files.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
