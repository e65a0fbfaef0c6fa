import { readFile } from 'node:fs/promises';
import { textOfFile } from '@sluice/json/explain-bytes.ts';
import { CliError } from './cli-error.ts';

/** The text of a file without its byte order mark. Throws CliError if it is not UTF-8. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    // The system does not always name the path.
    throw Object.assign(error, { path });
  });
  try {
    return textOfFile(bytes);
  } catch (error) {
    throw new CliError(`${path}: ${(error as Error).message}`);
  }
}
