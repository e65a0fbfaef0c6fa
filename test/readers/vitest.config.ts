import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/readers/**/*.test.ts'], testTimeout: 300_000 } });
