import { setImmediate as breathe } from 'node:timers/promises';
import type { Turn } from '@sluice/jobs/kind.ts';
import type { FileFormat } from '../formats/format.ts';
import { type OpenFile, openFile } from './write-file.ts';

/** Bytes converted between pauses: without a pause, nothing is received from MongoDB. */
const stepBytes = 32 * 1024;

interface Options {
  newFormat(): Promise<FileFormat>;
  /** Called with the entries of each page, before they are written. */
  learn(documents: Buffer[]): Promise<void>;
  /** Stores a finished file, and closes its spool. */
  store(file: OpenFile): Promise<void>;
  /** Whether a further file may begin. `stored` resolves once those before are stored. */
  mayBegin?(stored: () => Promise<void>): Promise<boolean>;
  limits: Parameters<typeof openFile>[2];
  turn: Pick<Turn, 'check' | 'giveWay'>;
}

/** Writes entries into files. A file is stored while the next is written. */
export async function writeFiles(
  pages: AsyncIterable<Buffer[]>,
  { newFormat, learn, store, mayBegin, limits, turn }: Options,
): Promise<void> {
  let open: OpenFile | undefined;
  let storing: Promise<void> = Promise.resolve();

  async function endFile(): Promise<void> {
    const ended = open;
    if (!ended) return;
    await storing;
    open = undefined;
    storing = store(ended);
    // A failure is handled at the later await.
    storing.catch(() => undefined);
    // Only here: an unfinished file is begun anew.
    await turn.giveWay();
  }

  try {
    let convertedBytes = 0;
    for await (const documents of pages) {
      await learn(documents);
      for (const document of documents) {
        if (open && !open.takes(document)) await endFile();
        if (!open && mayBegin && !(await mayBegin(() => storing))) return;
        open ??= await openFile(await newFormat(), document, limits);
        await open.add(document);
        convertedBytes += document.length;
        if (convertedBytes < stepBytes) continue;
        convertedBytes = 0;
        await breathe();
      }
      open?.keepLast();
      turn.check();
    }
    await endFile();
    await storing;
  } finally {
    await storing.catch(() => undefined);
    await open?.spool.close();
  }
}
