import { randomUUID } from 'node:crypto';
import { link, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { code, fail, syncFolderOf, toError, unfinished } from './folder-files.ts';
import { folderParts } from './folder-parts.ts';
import type { ObjectStore } from './object-store.ts';

const unless = (expected: string) => (error: unknown) => {
  if (code(error) !== expected) throw toError(error);
};

/** Objects are files in a folder of this machine, with this mode. */
export function folderStore(folder: string, { mode = 0o666 } = {}): ObjectStore {
  const pathOf = (name: string) => join(folder, ...name.split('/'));

  /** Writes a file that is on the disk when it gets its name. */
  async function write(
    name: string,
    pieces: AsyncIterable<Uint8Array>,
    place: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const path = pathOf(name);
    const temporary = join(dirname(path), unfinished + randomUUID());
    try {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(temporary, 'wx', mode);
      try {
        for await (const piece of pieces) await file.appendFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      await place(temporary, path);
      await syncFolderOf(path);
    } catch (error) {
      throw toError(error);
    } finally {
      // The fault before tells more.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async function* list(prefix: string): AsyncGenerator<{ name: string; bytes: number; modifiedAt: Date }> {
    const directory = await opendir(dirname(pathOf(`${prefix}x`)), { recursive: true }).catch(
      unless('ENOENT'),
    );
    if (!directory) return;
    try {
      for await (const entry of directory) {
        const path = join(entry.parentPath, entry.name);
        const name = relative(folder, path).split(sep).join('/');
        if (!entry.isFile() || entry.name.startsWith(unfinished) || !name.startsWith(prefix)) continue;
        const found = await stat(path).catch(unless('ENOENT'));
        if (found) yield { name, bytes: found.size, modifiedAt: found.mtime };
      }
    } catch (error) {
      throw toError(error);
    }
  }

  return {
    async create(name, pieces) {
      let isNew = true;
      await write(name, pieces, (from, to) =>
        link(from, to).catch((error) => {
          if (code(error) !== 'EEXIST') throw error;
          isNew = false;
        }),
      );
      return isNew;
    },
    replace: (name, pieces) => write(name, pieces, rename),
    async read(name) {
      const file = await open(pathOf(name)).catch(unless('ENOENT'));
      return file ? file.createReadStream() : undefined;
    },
    list,
    async folders(name) {
      const found = await readdir(pathOf(name), { withFileTypes: true }).catch(unless('ENOENT'));
      return (found ?? []).filter((each) => each.isDirectory()).map((each) => each.name);
    },
    removeFolder: (name) => rm(pathOf(name), { recursive: true, force: true }).catch(fail),
    remove: (name) => rm(pathOf(name), { force: true }).catch(fail),
    inParts: folderParts(pathOf, mode),
    close() {},
  };
}
