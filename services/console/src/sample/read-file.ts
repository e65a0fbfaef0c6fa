import { words } from '../words/en.ts';
import { isOneObject, readRows, type Sample } from './read-sample.ts';
import { decode, mostRows, splitRows, withoutByteOrderMark } from './split-rows.ts';

const mostBytes = 4 * 1024 ** 2;

async function startOf(file: File): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, mostBytes).arrayBuffer());
  return { bytes: withoutByteOrderMark(bytes), isWhole: file.size <= mostBytes };
}

/** The first rows of a file. */
export async function previewFile(file: File): Promise<Sample> {
  const { bytes, isWhole } = await startOf(file);
  return readRows(bytes, isWhole);
}

/** The first rows of a file, as text that `readSample` takes. Rejects with a message when there is none. */
export async function readFile(file: File): Promise<string> {
  const { bytes, isWhole } = await startOf(file);
  const { kind, rows, end } = splitRows(bytes, isWhole);
  const text = decode(bytes);
  if (isWhole && (rows.length < mostRows || isOneObject(text))) return text;
  if (rows.length === 0) throw new Error(words.sample.rowTooLong);
  return decode(bytes.subarray(0, end)) + (kind === 'array' ? '\n]' : '');
}
