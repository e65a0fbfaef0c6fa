import { defineConfig } from 'vitest/config';
import { localEnv } from './local/env.ts';

/** Of a file with tests that need MongoDB and Redis. */
export const usual = {
  // To load the services takes longer than most files.
  isolate: false,
  // So that threads of the services load soon.
  env: { NODE_COMPILE_CACHE: localEnv().compileCache },
  execArgv: [
    // After so many calls V8 compiles how WebAssembly (in `fetch`) calls JavaScript anew, and ends a long process now and then.
    '--wasm-wrapper-tiering-budget=2000000000',
    // The processors are busy, so help of threads costs more than it saves.
    '--single-threaded-gc',
    // In MB. A process begins by loading hundreds of modules.
    '--min-semi-space-size=16',
  ],
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

/** Most of a journey is waiting: for a lease to end, or for a fault to be noticed. */
export const maxWorkers = 5;

const root = (folders: string) => `${folders}/**/*.test.ts`;

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers,
    projects: [
      // Processes of their own: a fake clock would stop the Sluice that journeys share.
      {
        test: {
          ...usual,
          name: 'units',
          include: ['packages', 'services', 'local', 'scripts', 'examples', 'deploy'].map(root),
        },
      },
      { test: { ...usual, name: 'journeys', include: [root('test/{clients,journeys,support}')] } },
    ],
  },
});
