import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/compose/**/*.test.ts'],
    testTimeout: 120_000,
    // Images may have to be fetched and built.
    hookTimeout: 900_000,
  },
});
