import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/drafts/**/*.test.ts'], testTimeout: 300_000 } });
