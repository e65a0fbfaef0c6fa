import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';

/** Files that are being written. */
const unfinished = '.unfinished-';

const code = (error: unknown) => (error as NodeJS.ErrnoException).code;
const unless = (expected: string) => (error: unknown) => {
  if (code(error) !== expected) throw toError(error);
};

function toError(error: unknown): unknown {
  const { path } = error as NodeJS.ErrnoException;
  if (code(error) === 'ENOSPC') return new ObjectStoreError(`the disk of ${path ?? 'the folder'} is full`);
  if (code(error) === 'EACCES' || code(error) === 'EROFS')
    return new ObjectStoreError(`${path} cannot be written: the user of the worker needs the right to`);
  return error;
}

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
      await pipeline(Readable.from(pieces), createWriteStream(temporary, { mode, flush: true }));
      await place(temporary, path);
      const directory = await open(dirname(path));
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      throw toError(error);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async function* list(prefix: string): AsyncGenerator<{ name: string; bytes: number; modifiedAt: Date }> {
    const directory = await opendir(dirname(pathOf(`${prefix}x`)), { recursive: true }).catch(
      unless('ENOENT'),
    );
    if (!directory) return;
    for await (const entry of directory) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(folder, path).split(sep).join('/');
      if (!entry.isFile() || entry.name.startsWith(unfinished) || !name.startsWith(prefix)) continue;
      const found = await stat(path).catch(unless('ENOENT'));
      if (found) yield { name, bytes: found.size, modifiedAt: found.mtime };
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
    remove: (name) => rm(pathOf(name), { force: true }),
    close() {},
  };
}
