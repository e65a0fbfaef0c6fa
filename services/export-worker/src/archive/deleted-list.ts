import { zstdCompressSync } from 'node:zlib';
import type { Spool } from '@sluice/objects/spool.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

const groupRows = 50_000;

/** Writes the ids of deleted entries up to `until`, and when these were deleted. Returns how many they are. */
export async function writeDeletedList(
  removals: AsyncIterable<{ id: EntryId; at: Date }> | [],
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
