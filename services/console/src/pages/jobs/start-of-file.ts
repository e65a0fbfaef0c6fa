import { Gunzip } from 'fflate';
import { Decompress } from 'fzstd';

const mostBytes = 4 * 1024 ** 2;
const pieceBytes = 64 * 1024;

type OnBytes = (bytes: Uint8Array) => void;

/** What unpacks bytes that begin so: by the marks that an import looks for. */
function unpackerOf(head: DataView, onBytes: OnBytes) {
  if (head.byteLength >= 2 && head.getUint16(0) === 0x1f8b) return new Gunzip(onBytes);
  const mark = head.byteLength >= 4 ? head.getUint32(0, true) : 0;
  const isZstd = mark === 0xfd2fb528 || (mark & 0xfffffff0) >>> 0 === 0x184d2a50;
  return isZstd ? new Decompress(onBytes) : undefined;
}

const enough = new Error('enough was unpacked');

/** The first 4 MiB of a file, unpacked from gzip or zstd. Rejects if nothing can be unpacked. */
export async function startOf(file: Blob): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const unpacker = unpackerOf(new DataView(await file.slice(0, 4).arrayBuffer()), (bytes) => {
    pieces.push(bytes as Uint8Array<ArrayBuffer>);
    size += bytes.length;
    if (size >= mostBytes) throw enough;
  });
  const join = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());
  if (!unpacker) return { bytes: await join(file.slice(0, mostBytes)), isWhole: file.size <= mostBytes };
  try {
    for (let at = 0; at < file.size; at += pieceBytes)
      unpacker.push(await join(file.slice(at, at + pieceBytes)), at + pieceBytes >= file.size);
    return { bytes: await join(new Blob(pieces)), isWhole: true };
  } catch (error) {
    // What was unpacked before a broken place can be shown.
    if (size === 0) throw error;
    return { bytes: await join(new Blob(pieces)), isWhole: false };
  }
}
