import { defineConfig } from 'vitest/config';
import { usual } from '../../vitest.config.ts';

export default defineConfig({
  test: {
    ...usual,
    globalSetup: ['test/support/global-setup.ts', 'test/browser/support/global-setup.ts'],
    maxWorkers: 2,
    include: ['test/browser/**/*.test.ts'],
  },
});
