import { defineConfig } from 'vitest/config';
import { usual } from '../../vitest.config.ts';

export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/fuzz/**/*.test.ts'],
    testTimeout: 7_200_000,
    hookTimeout: 60_000,
  },
});
