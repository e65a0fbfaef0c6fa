import { readFileSync } from 'node:fs';
import { rowsOf } from './lake.ts';

/** The ids of entries in files for questions, without deleted ones, sorted. */
export async function askedIds({
  files,
  deleted,
}: {
  files: string[];
  deleted: string[];
}): Promise<string[]> {
  const idsIn = async (paths: string[]) =>
    (await Promise.all(paths.map((path) => rowsOf(path, readFileSync(path))))).flat().map(({ id }) => id);
  const gone = new Set(await idsIn(deleted));
  return (await idsIn(files)).filter((id) => !gone.has(id)).toSorted();
}
