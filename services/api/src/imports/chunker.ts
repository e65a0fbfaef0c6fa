import { cutBytes, frameHead, maxLines, writeHead } from '@sluice/json/frames.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { HeaderSink } from '@sluice/tables/csv/split.ts';

/** A chunk of this size is a second of work at most, and so is what a killed worker loses. */
const chunkBytes = 4 * 1024 ** 2;
const chunkLines = 5_000;
/** The last line of a chunk may reach beyond. */
const bufferBytes = chunkBytes + 64 * 1024;

export interface CutChunk {
  /** Frames: see packages/json/src/frames.ts. */
  data: Buffer;
  lines: number;
  /** Gives the memory back, to be used for a later chunk. */
  release(): void;
}

/** Memory of this size taken anew for each chunk would keep the garbage collector busy. */
const spares: Buffer[] = [];
const mostSpares = 4;

/** Gathers lines into chunks. Of a line over `lineLimit` only the begin is kept, to be told apart in the report. */
export function createChunker(lineLimit: number) {
  let data = newBuffer();
  let used = 0;
  let lines = 0;
  /** Bytes of the line under way, kept or not. */
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
      release() {
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
    /** Lines so far. */
    total: () => total,
    /** The chunks that are full. */
    take(): CutChunk[] {
      const taken = ready;
      ready = [];
      return taken;
    },
    /** The last chunk is full too. */
    finish: cut,
  };
}

const newBuffer = () => spares.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
