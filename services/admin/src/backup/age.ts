import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Decrypter, Encrypter } from 'age-encryption';
import { AdminError } from '../admin-error.ts';

type Pieces = AsyncIterable<Buffer>;

/** The start of each file that age has encrypted. */
const magic = Buffer.from('age-encryption.org/');
/** age encrypts a piece at one go, and keeps the result in memory. */
const pieceBytes = 1024 ** 2;

async function* small(pieces: Pieces): Pieces {
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; at += pieceBytes) yield piece.subarray(at, at + pieceBytes);
}

async function* toBuffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of pieces) yield Buffer.from(buffer, byteOffset, length);
}

/** Encrypts a stream for all of these recipients. Throws AdminError. */
export function createEncryption(recipients: string[]): (pieces: Pieces) => Pieces {
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new AdminError('--encrypt-to wants a recipient of age, which begins with age1');
    }
  return async function* encrypted(pieces) {
    yield* toBuffers(await encrypter.encrypt(ReadableStream.from(small(pieces))));
  };
}

/** The identities in a file of `age-keygen`, or in the standard input. Throws AdminError. */
export async function readIdentities(path: string, stdin: Readable): Promise<string[]> {
  const lines = (path === '-' ? await text(stdin) : readFileSync(path, 'utf8')).split('\n');
  const found = lines.map((line) => line.trim()).filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (found.length === 0)
    throw new AdminError(`${path} has no identity of age: it is a line that begins with AGE-SECRET-KEY-`);
  return found;
}

/** The bytes of a backup, whether it is encrypted or not. Throws AdminError if no identity opens it. */
export async function* decrypted(source: Pieces, identities: string[]): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  let fault: { error: unknown } | undefined;
  async function* whole() {
    try {
      yield start;
      yield* { [Symbol.asyncIterator]: () => pieces };
    } catch (error) {
      fault = { error };
      throw error;
    }
  }
  while (start.length < magic.length) {
    const { value, done } = await pieces.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  if (!start.subarray(0, magic.length).equals(magic)) return yield* whole();
  if (identities.length === 0) {
    await pieces.return?.();
    throw new AdminError('the backup is encrypted: name the file of its identity with --identity FILE');
  }
  let message = 'this identity does not open the backup: name the one that it was encrypted for';
  try {
    const decrypter = new Decrypter();
    for (const identity of identities) decrypter.addIdentity(identity);
    const plain = await decrypter.decrypt(ReadableStream.from(whole()));
    message = 'the backup is truncated or was changed: it cannot be decrypted to its end';
    yield* toBuffers(plain);
  } catch {
    throw fault ? fault.error : new AdminError(message);
  }
}
