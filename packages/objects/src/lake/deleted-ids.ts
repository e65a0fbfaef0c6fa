import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';

/** As many as a row group of a list has. */
const rowsAtOnce = 50_000;
const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** The ids in a list of deleted entries, in order. */
export async function* readDeletedIds(list: Buffer): AsyncGenerator<string> {
  const file = Uint8Array.from(list).buffer;
  const metadata = await parquetMetadataAsync(file as never);
  const rows = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < rows; rowStart += rowsAtOnce) {
    const rowEnd = Math.min(rowStart + rowsAtOnce, rows);
    const wanted = { file, metadata, columns: ['id'], rowStart, rowEnd, compressors };
    for (const { id } of await parquetReadObjects(wanted)) yield String(id);
  }
}
