import { setImmediate as breathe } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Judged } from '@sluice/intake/line.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import { type Frame, framesOf } from '@sluice/json/frames.ts';
import type { EntryStore } from '@sluice/store/entries/entries.ts';
import type { Steps } from '../chunks/in-chunks.ts';
import { lineKeysOf } from './line-keys.ts';

const unzip = promisify(zstdDecompress);
const linesAtOnce = 500;

interface Task extends Steps {
  chunk: ClaimedChunk;
  /** The compressed lines. */
  data: Buffer;
  readLine(frame: Frame): Judged;
}

/** How many lines of a chunk that cannot be finished are stored. */
export async function countStored(
  { hasKeyed }: Pick<EntryStore, 'hasKeyed'>,
  { chunk, data, readLine, onStep }: Task,
): Promise<number> {
  const { keyOf, earlier } = lineKeysOf(chunk);
  const keysOf = [keyOf, ...earlier];
  const frames = [...framesOf(await unzip(data))];
  let stored = 0;
  for (let from = 0; from < frames.length; from += linesAtOnce) {
    const lines = frames.slice(from, from + linesAtOnce).flatMap((frame) => {
      const fate = readLine(frame);
      return fate.kind === 'accepted' ? { ...fate, line: frame.line } : [];
    });
    const isStored = lines.map(() => false);
    for (const keyOf of keysOf) {
      const keyed = lines.map(({ json, line, createdAt }) => ({ json, key: keyOf(line, createdAt) }));
      const found = await hasKeyed(keyed);
      for (const [at, has] of found.entries()) isStored[at] ||= has;
    }
    stored += isStored.filter(Boolean).length;
    onStep(from);
    await breathe();
  }
  return stored;
}
