import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const settleMs = 100;

/** Calls `changed` after files in the `src` folders of the services and packages of `root` have changed. */
export function watchSources(root: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const sources = ['services', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name, 'src')),
  );
  const watchers = sources.filter(existsSync).map((dir) =>
    watch(dir, { recursive: true }, () => {
      // Editors and checkouts change several files at once.
      clearTimeout(timer);
      timer = setTimeout(changed, settleMs);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
