import { basename } from 'node:path/posix';
import { idOf, timeOf } from '@sluice/bson/entry.ts';
import type { ArchivedFile } from '@sluice/jobs/record/archive-record.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { openSpool } from '@sluice/objects/spool.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import type { FileFormat } from '../formats/format.ts';
import { createObject } from './create-object.ts';

/** A Parquet piece is a row group: large ones are read faster, small ones take less memory. */
const pieceBytes = 4 * 1024 ** 2;
const dayMs = 86_400_000;

export type OpenFile = Awaited<ReturnType<typeof openFile>>;

/** Writes entries from `firstEntry` on; `isOfDay`: those of one UTC day. */
export async function openFile(
  format: FileFormat,
  firstEntry: Buffer,
  { folder, fileBytes, isOfDay }: { folder: string; fileBytes: number; isOfDay: boolean },
) {
  const spool = await openSpool(folder);
  const day = Math.floor(timeOf(firstEntry) / dayMs);
  const first = idOf(firstEntry);
  let last = firstEntry;
  let entries = 0;
  format.open(0);

  async function flush(): Promise<void> {
    const { data } = await format.take();
    await spool.write(data);
    freeBuffer(data);
  }

  return {
    /** Whether an entry belongs into this file. */
    takes: (document: Buffer) =>
      (!isOfDay || Math.floor(timeOf(document) / dayMs) === day) && spool.bytes() + format.size() < fileBytes,

    /** A promise only where a piece is full. */
    add(document: Buffer): Promise<void> | undefined {
      format.add(document);
      last = document;
      entries += 1;
      return format.size() >= Math.min(pieceBytes, fileBytes) ? flush() : undefined;
    },

    /** The memory of entries is about to be used again. */
    keepLast(): void {
      last = Buffer.from(last);
    },

    async end(): Promise<Omit<ArchivedFile, 'name'> & { stem: string }> {
      // Before the memory of the entry is used again.
      const lastId = idOf(last);
      format.close(0);
      await flush();
      const [date] = timeOfId(first).toISOString().split('T');
      return {
        stem: `date=${date}/${first}-${lastId}`,
        entries,
        bytes: spool.bytes(),
        sha256: spool.sha256(),
        first,
        last: lastId,
      };
    },

    spool,
  };
}

interface Place {
  folder: string;
  extension: string;
  fence: number;
  /** What the name begins with; absent: with the day of the entries. */
  prefix?: string;
}

/** Ends a file and stores it. */
export async function storeFile(
  objects: Pick<ObjectStore, 'create' | 'read'>,
  file: OpenFile,
  { prefix, fence, ...place }: Place,
): Promise<ArchivedFile> {
  try {
    const { stem, ...rest } = await file.end();
    const named = { ...place, stem: prefix === undefined ? stem : prefix + basename(stem) };
    return { name: await createObject(objects, named, file.spool, fence), ...rest };
  } finally {
    await file.spool.close();
  }
}
