import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ObjectStoreError } from './object-store.ts';

/** Begins the names of files that are being written. */
export const unfinished = '.unfinished-';

export const code = (error: unknown) => (error as NodeJS.ErrnoException).code;

export function toError(error: unknown): unknown {
  const { path } = error as NodeJS.ErrnoException;
  if (code(error) === 'ENOSPC') return new ObjectStoreError(`the disk of ${path ?? 'the folder'} is full`);
  if (code(error) === 'EACCES' || code(error) === 'EROFS')
    return new ObjectStoreError(`${path} cannot be written: the user of the worker needs the right to`);
  return error;
}

/** Puts the name of a file on the disk. */
export async function syncFolderOf(path: string): Promise<void> {
  const directory = await open(dirname(path));
  await directory.sync().finally(() => directory.close());
}
