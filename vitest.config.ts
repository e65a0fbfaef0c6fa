import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'services/**/*.test.ts',
      'local/**/*.test.ts',
      'examples/**/*.test.ts',
      'test/{journeys,support}/**/*.test.ts',
    ],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
