import { defineConfig } from 'vitest/config';
import { usual } from '../../vitest.config.ts';

/** Tests that kill processes, run long or try other programs. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/support/global-setup.ts',
    // Many of these start processes besides.
    maxWorkers: 4,
    include: ['test/slow/**/*.test.ts'],
  },
});
