import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseJson } from '@sluice/json/parse-json.ts';
import { CliError } from '../cli-error.ts';
import { readText } from '../read-text.ts';

/** Reads a JSON file; undefined if there is none. */
export async function readPrivate<T>(file: string): Promise<T | undefined> {
  try {
    return parseJson(await readText(file)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw new CliError(`${file} is not JSON: correct or remove it`);
    throw error;
  }
}

/** Replaces a JSON file that only its user may read. A crash leaves the old file or the new one. */
export async function writePrivate(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${randomUUID()}`;
  await writeFile(partial, JSON.stringify(value), { mode: 0o600 });
  await rename(partial, file);
}
