import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { watchSources } from './watch.ts';

it.each(['services/api/src/main.ts', 'packages/shared/src/deep/config.ts'])(
  'notices a change of %s',
  async (file) => {
    const root = tempDir();
    for (const dir of ['services/api/src', 'packages/shared/src/deep'])
      mkdirSync(join(root, dir), { recursive: true });
    const changed = Promise.withResolvers<void>();
    onTestFinished(watchSources(root, changed.resolve));
    writeFileSync(join(root, file), '');
    await expect(changed.promise).resolves.toBeUndefined();
  },
);
