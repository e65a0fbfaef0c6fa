import { words } from '../words/en.ts';
import { mostRows } from './read-sample.ts';

const mostBytes = 4 * 1024 ** 2;
const mostBytesOfArray = 32 * 1024 ** 2;

/** The first rows of a file, as text that `readSample` takes. Rejects with a message when it cannot be read in part. */
export async function readFile(file: File): Promise<string> {
  const start = await file.slice(0, mostBytes).text();
  if (/^\uFEFF?\s*\[/.test(start)) return readArray(file, start);
  const lines = start.split('\n');
  // The last one is cut off.
  if (file.size > mostBytes) lines.pop();
  // A JSON object over several lines is one row.
  return /^\uFEFF?\s*\{\s*\n/.test(start) ? start : lines.slice(0, mostRows + 1).join('\n');
}

async function readArray(file: File, start: string): Promise<string> {
  if (file.size > mostBytesOfArray) throw new Error(words.sample.arrayTooLarge);
  const values: unknown[] = JSON.parse(file.size > mostBytes ? await file.text() : start);
  return values
    .slice(0, mostRows)
    .map((value) => JSON.stringify(value))
    .join('\n');
}
