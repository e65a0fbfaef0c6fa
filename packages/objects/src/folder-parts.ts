import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { code, fail, syncFolderOf, unfinished } from './folder-files.ts';
import { type ObjectParts, ObjectStoreError } from './object-store.ts';

/** Files that grow part by part. `mode`: of each file. */
export function folderParts(pathOf: (name: string) => string, mode: number): ObjectParts {
  const unfinishedOf = (name: string, id: string) => join(dirname(pathOf(name)), unfinished + id);

  async function begin(name: string): Promise<string> {
    const id = randomUUID();
    await mkdir(dirname(pathOf(name)), { recursive: true });
    await (await open(unfinishedOf(name, id), 'wx', mode)).close();
    return id;
  }

  async function put(path: string, start: number, data: Uint8Array): Promise<void> {
    const file = await open(path, 'r+');
    try {
      const { size } = await file.stat();
      if (size < start) throw new ObjectStoreError(`${path} has lost bytes: retry`);
      // Another worker may have written a part that does not count.
      await file.truncate(start);
      for (let at = 0; at < data.length; )
        at += (await file.write(data, at, data.length - at, start + at)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async function finish(path: string, from: string): Promise<void> {
    await rename(from, path).catch(async (error) => {
      // It may be finished already.
      if (code(error) !== 'ENOENT' || !(await stat(path).catch(() => undefined))) throw error;
    });
    await syncFolderOf(path);
  }

  return {
    begin: (name) => begin(name).catch(fail),
    async put(name, id, { number, start }, data) {
      await put(unfinishedOf(name, id), start, data).catch(fail);
      return String(number);
    },
    finish: (name, id) => finish(pathOf(name), unfinishedOf(name, id)).catch(fail),
    abandon: (name, id) => rm(unfinishedOf(name, id), { force: true }).catch(fail),
  };
}
