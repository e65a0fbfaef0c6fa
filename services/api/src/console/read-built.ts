import { readFile } from 'node:fs/promises';

/** A file that `npm run setup` builds; undefined if it is not built. */
export async function readBuilt(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
