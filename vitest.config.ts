import { defineConfig } from 'vitest/config';
import { localEnv } from './local/env.ts';

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'services/**/*.test.ts',
      'local/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
      'deploy/**/*.test.ts',
      'test/{clients,journeys,support}/**/*.test.ts',
    ],
    globalSetup: 'test/support/global-setup.ts',
    // Most of a journey is waiting: for a lease to end, or for a fault to be noticed.
    maxWorkers: 4,
    // To load the services takes longer than most files.
    isolate: false,
    // So that threads of the services load soon.
    env: { NODE_COMPILE_CACHE: localEnv().compileCache },
    // After so many calls V8 compiles how WebAssembly (in `fetch`) calls JavaScript anew, and ends a long process now and then.
    execArgv: ['--wasm-wrapper-tiering-budget=2000000000'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
