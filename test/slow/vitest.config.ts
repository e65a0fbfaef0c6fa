import { defineConfig } from 'vitest/config';
import usual from '../../vitest.config.ts';

/** Tests that kill processes, run long or try other programs. */
export default defineConfig({ test: { ...usual.test, include: ['test/slow/**/*.test.ts'] } });
