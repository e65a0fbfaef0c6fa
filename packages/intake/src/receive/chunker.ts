import { cutBytes, frameHead, maxLines, writeHead } from '@sluice/json/frames.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { HeaderSink } from '@sluice/tables/csv/split.ts';

/** At most a second of work: a killed worker loses no more. */
const chunkBytes = 4 * 1024 ** 2;
const chunkLines = 5_000;
/** The last line of a chunk may be longer than the rest of the chunk. */
const bufferBytes = chunkBytes + 64 * 1024;

export interface CutChunk {
  /** Lines as frames: see packages/json/src/frames.ts. */
  data: Buffer;
  lines: number;
  /** Lets a later chunk use the memory. */
  free(): void;
}

/** Buffers are used again, as new ones would keep the garbage collector busy. */
const spares: Buffer[] = [];
const mostSpares = 4;

/** Collects lines into chunks. Only the begin of a line over `lineLimit` is kept, for the report. */
export function createChunker(lineLimit: number) {
  let data = newBuffer();
  let used = 0;
  let lines = 0;
  /** Bytes of the current line, kept or not. */
  let length = 0;
  let total = 0;
  let ready: CutChunk[] = [];

  function grow(needed: number): void {
    if (needed <= data.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * data.length));
    data.copy(grown, 0, 0, needed);
    data = grown;
  }

  function cut(): void {
    if (lines === 0) return;
    const full = data;
    ready.push({
      data: full.subarray(0, used),
      lines,
      free() {
        if (full.length === bufferBytes && spares.length < mostSpares) spares.push(full);
      },
    });
    data = newBuffer();
    used = 0;
    lines = 0;
  }

  const sink: HeaderSink = {
    bytes(piece, from, to) {
      const size = to - from;
      if (length + size <= lineLimit) {
        const at = used + frameHead + length;
        grow(at + size);
        data.set(piece.subarray(from, to), at);
      } else if (length < cutBytes) {
        const at = used + frameHead + length;
        const kept = Math.min(size, cutBytes - length);
        grow(at + kept);
        data.set(piece.subarray(from, from + kept), at);
      }
      length += size;
    },

    end(line) {
      if (line > maxLines)
        throw new ApiError(
          'PayloadTooLargeError',
          `the import has more than ${maxLines} lines; nothing was stored`,
        );
      const isCut = length > lineLimit;
      const kept = isCut ? Math.min(length, cutBytes) : length;
      grow(used + frameHead + kept);
      writeHead(data, used, line, kept, isCut);
      used += frameHead + kept;
      length = 0;
      lines += 1;
      total += 1;
      if (lines === chunkLines || used >= chunkBytes) cut();
    },

    peek: () => (length > lineLimit ? undefined : data.subarray(used + frameHead, used + frameHead + length)),

    drop() {
      length = 0;
    },
  };

  return {
    sink,
    total: () => total,
    take(): CutChunk[] {
      const taken = ready;
      ready = [];
      return taken;
    },
    /** Call after the last line: its chunk counts as full. */
    finish: cut,
  };
}

const newBuffer = () => spares.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
