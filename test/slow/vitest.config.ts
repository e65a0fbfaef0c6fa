import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { usual } from '../../vitest.config.ts';

/** Vitest begins with the largest files, until it knows how long each takes. */
const longest = /idempotency-any-order|docs-commands/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Tests that kill processes, run long or try other programs. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: 'test/support/global-setup.ts',
    // Many of these start processes besides.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    include: ['test/slow/**/*.test.ts'],
  },
});
