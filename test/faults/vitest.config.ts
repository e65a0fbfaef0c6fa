import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    testTimeout: 3_600_000,
    // Images may have to be fetched and built.
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
