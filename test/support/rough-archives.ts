import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveOptions } from '@sluice/export-worker/start.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';

/** What a test tells its workers of archives. */
export interface Rough {
  ROUGH_FOLDER: string;
  /** In bytes. */
  ROUGH_FILES: string;
  /** Share of the calls that fail, half of them after they did what was asked. */
  ROUGH_FAULTS: string;
}

/** While this file is in the folder, the store is away. */
export const awayName = 'away';
/** While this file is in the folder, no call fails. */
export const calmName = 'calm';

/** Archives in a folder that fails now and then, each format in a folder of its own. Undefined where no test asks for it. */
export function roughArchives(): ArchiveOptions | undefined {
  const { ROUGH_FOLDER: root, ROUGH_FILES, ROUGH_FAULTS } = process.env as Partial<Rough>;
  if (root === undefined) return undefined;
  return {
    folder: join(root, 'temporary'),
    fileBytes: Number(ROUGH_FILES),
    mostFiles: 30,
    openObjects: ({ format }) => rough(folderStore(join(root, format)), root, Number(ROUGH_FAULTS)),
  };
}

function rough(objects: ObjectStore, root: string, share: number): ObjectStore {
  const away = (what: string) => new ObjectStoreError(`the store is ${what}: wait`);

  async function perhaps<T>(call: () => Promise<T>): Promise<T> {
    if (existsSync(join(root, awayName))) throw away('away');
    if (existsSync(join(root, calmName)) || Math.random() > share) return call();
    if (Math.random() < 0.5) await call();
    throw away('busy');
  }

  return {
    ...objects,
    create: (name, pieces) => perhaps(() => objects.create(name, pieces)),
    read: (name) => perhaps(() => objects.read(name)),
  };
}
