import { zstdCompressSync } from 'node:zlib';
import type { LakeManifest } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { openSpool, type Spool } from '@sluice/objects/spool.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { createObject } from './create-object.ts';

const groupRows = 50_000;

/** Deleted entries, in the order of ids. */
export type Removals = AsyncIterable<{ id: EntryId; at: Date }> | never[];

/** Stores a list in `_deleted`. Undefined: it would be empty, and is not there. */
export async function storeDeletedList(
  objects: Pick<ObjectStore, 'create' | 'read'>,
  removals: Removals,
  until: EntryId | undefined,
  { temporary, fence, ...place }: { folder: string; stem: string; temporary: string; fence: number },
  check: () => void,
): Promise<LakeManifest['deleted']> {
  const spool = await openSpool(temporary);
  try {
    const entries = await writeDeletedList(removals, until, spool, check);
    if (entries === 0) return undefined;
    const name = await createObject(objects, { ...place, extension: 'parquet' }, spool, fence);
    return { name, entries, bytes: spool.bytes(), sha256: spool.sha256() };
  } finally {
    await spool.close();
  }
}

/** Writes the ids of deleted entries up to `until`, and when these were deleted. Returns how many they are. */
export async function writeDeletedList(
  removals: Removals,
  until: EntryId | undefined,
  spool: Pick<Spool, 'write'>,
  check: () => void,
): Promise<number> {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: 'deletion', num_children: 2 },
      { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      { name: 'deleted_at', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'REQUIRED' },
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
  });
  let ids: string[] = [];
  let times: Date[] = [];
  let entries = 0;
  let lastId: string | undefined;

  async function flush(): Promise<void> {
    const data = writer.getBytes().slice();
    writer.index = 0;
    await spool.write(data);
    freeBuffer(data);
  }

  async function writeGroup(): Promise<void> {
    await parquet.write({
      columnData: [
        { name: 'id', data: ids },
        { name: 'deleted_at', data: times },
      ],
      rowGroupSize: groupRows,
    });
    entries += ids.length;
    ids = [];
    times = [];
    await flush();
  }

  for await (const { id, at } of removals) {
    // Entries above the coverage are in no file. An import can store such an entry again.
    if (id === lastId || until === undefined || id > until) continue;
    lastId = id;
    ids.push(id);
    times.push(at);
    if (ids.length < groupRows) continue;
    check();
    await writeGroup();
  }
  if (ids.length > 0) await writeGroup();
  parquet.finish();
  await flush();
  return entries;
}
