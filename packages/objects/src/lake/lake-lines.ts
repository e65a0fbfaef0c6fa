import type { Spool } from '../spool.ts';
import { LakeFault } from './manifest.ts';

/** An entry as a line of NDJSON, without its end. */
export interface LakeLine {
  id: string;
  bytes: Buffer;
}

const newline = 0x0a;
/** Each line of an archive begins so; then comes the id. */
const opening = '{"id":"';
const idEnd = opening.length + 28;

/** Reads the lines of a file of NDJSON, one after the other. */
export function createLineReader(spool: Pick<Spool, 'pieces' | 'close'>, name: string) {
  const pieces = spool.pieces();
  let piece: Buffer = Buffer.alloc(0);
  let at = 0;

  function toLine(bytes: Buffer): LakeLine {
    if (bytes.toString('latin1', 0, opening.length) !== opening || bytes[idEnd] !== 0x22)
      throw new LakeFault(`${name} has a line that no archive has written`);
    return { id: bytes.toString('latin1', opening.length, idEnd), bytes };
  }

  return {
    /** Undefined at the end. The memory of lines is not used again. */
    async next(): Promise<LakeLine | undefined> {
      const parts: Buffer[] = [];
      for (;;) {
        const end = piece.indexOf(newline, at);
        parts.push(piece.subarray(at, end < 0 ? piece.length : end));
        if (end >= 0) {
          at = end + 1;
          return toLine(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
        }
        const { value, done } = await pieces.next();
        if (done) {
          const rest = Buffer.concat(parts);
          piece = Buffer.alloc(0);
          at = 0;
          return rest.length > 0 ? toLine(rest) : undefined;
        }
        piece = value;
        at = 0;
      }
    },
    close: spool.close,
  };
}
