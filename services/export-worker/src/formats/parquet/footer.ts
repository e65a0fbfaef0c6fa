import { ByteWriter, type SchemaElement } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { RowGroup } from './row-group.ts';

/** Thrift's compact protocol: a list of structs. */
const structs = 12;
const lengthBytes = 4;
const noGroup: RowGroup = { columns: [], num_rows: 0n, total_byte_size: 0n };

/**
 * The footer of a file. The library makes one of all row groups as objects, which take many times the memory. So
 * each group is cut out of a footer of its own, and those bytes are put into one that has none: they say nothing of
 * the groups around them.
 */
export function createFooter(schema: SchemaElement[]) {
  function metadata(row_groups: RowGroup[], num_rows = 0n): Buffer {
    const writer = new ByteWriter();
    writeMetadata(writer, {
      version: 2,
      created_by: 'sluice',
      schema,
      num_rows,
      row_groups,
      metadata_length: 0,
    });
    return Buffer.from(writer.getBytes().subarray(0, -lengthBytes));
  }

  const empty = metadata([]);
  // The first byte that differs begins the list: it has its length.
  const head = metadata([noGroup]).findIndex((byte, index) => byte !== empty[index]);
  const tail = empty.length - head - 1;

  return {
    /** What `write` needs to know of a row group. */
    describe(group: RowGroup): Buffer {
      const one = metadata([group]);
      return one.subarray(head + 1, one.length - tail);
    },

    /** Writes the footer, with its length. */
    write(
      writer: ByteWriter,
      groups: Iterable<Buffer>,
      { count, rows }: { count: number; rows: number },
    ): void {
      const start = writer.offset;
      const around = metadata([], BigInt(rows));
      writer.appendBytes(around.subarray(0, -tail - 1));
      if (count < 15) writer.appendUint8((count << 4) | structs);
      else {
        writer.appendUint8((15 << 4) | structs);
        writer.appendVarInt(count);
      }
      for (const group of groups) writer.appendBytes(group);
      writer.appendBytes(around.subarray(-tail));
      writer.appendUint32(writer.offset - start);
    },
  };
}
