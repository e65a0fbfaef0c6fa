import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/fuzz/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
  },
});
