import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ObjectStoreError } from './object-store.ts';

/** Begins the names of files that are being written. */
export const unfinished = '.unfinished-';

export const code = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** The fault of a path and the remedy, by the code of an error. */
const faults: Record<string, string> = {
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EACCES: 'cannot be used: the user of the process needs the right to read and write it',
  EPERM: 'cannot be used: the system does not allow it',
  EROFS: 'cannot be written: the disk is read-only',
  ENOTDIR: 'cannot be used: a part of this path is a file, and must be a folder',
  EEXIST: 'cannot be used: it is a file, and must be a folder',
  EISDIR: 'cannot be used: it is a folder, and must be a file',
  ENAMETOOLONG: 'cannot be used: the name is too long for the disk',
  EIO: 'cannot be used: the disk is broken',
};

/** An ObjectStoreError with one sentence; an error of another cause stays the same. */
export function toError(error: unknown): unknown {
  const { path = 'the folder' } = error as NodeJS.ErrnoException;
  const fault = faults[code(error) ?? ''];
  return fault === undefined ? error : new ObjectStoreError(`${path} ${fault}`);
}

export const fail = (error: unknown): never => {
  throw toError(error);
};

/** Puts the name of a file on the disk. */
export async function syncFolderOf(path: string): Promise<void> {
  const directory = await open(dirname(path));
  await directory.sync().finally(() => directory.close());
}
