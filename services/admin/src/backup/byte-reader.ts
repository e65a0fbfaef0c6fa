import { createHash } from 'node:crypto';
import { AdminError } from '../admin-error.ts';

const newline = 10;
const maxLineBytes = 1024 ** 2;

/** Reads lines and bytes of a stream, and hashes them. Throws AdminError if the stream ends too early. */
export function createByteReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);

  /** False at the end of the stream. */
  async function more(): Promise<boolean> {
    const { value, done } = await chunks.next();
    if (done) return false;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return true;
  }

  function take(length: number): Buffer {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    hash.update(taken);
    return taken;
  }

  const truncated = () => new AdminError('the backup is truncated: it ends before its last line');

  return {
    /** The hash of all bytes that were read, in hexadecimal digits. */
    sha256: (): string => hash.copy().digest('hex'),

    /** The next line without its line end. */
    async line(): Promise<string> {
      let end = rest.indexOf(newline);
      while (end < 0) {
        if (rest.length > maxLineBytes) throw new AdminError('the backup was changed: a line is too long');
        if (!(await more())) throw truncated();
        end = rest.indexOf(newline);
      }
      return take(end + 1).toString('utf8', 0, end);
    },

    async bytes(length: number): Promise<Buffer> {
      const pieces: Buffer[] = [];
      for (let missing = length; missing > 0; ) {
        if (rest.length === 0 && !(await more())) throw truncated();
        const piece = take(Math.min(missing, rest.length));
        pieces.push(piece);
        missing -= piece.length;
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    },

    /** Whether all bytes were read. */
    isAtEnd: async (): Promise<boolean> => rest.length === 0 && !(await more()),
  };
}
