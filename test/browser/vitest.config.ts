import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/browser/support/global-setup.ts'],
    maxWorkers: 2,
    // To load the services takes longer than most files.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
