import { randomBytes } from 'node:crypto';
import { Binary } from 'mongodb';

/**
 * An entry's place among those of its application, as 28 hexadecimal digits that sort as `createdAt` does:
 * 6 bytes of milliseconds, 4 of the process, 4 of a counter. See docs/decisions/0007-layout-of-entries.md.
 */
export type EntryId = string;

const applicationBytes = 12;
const timeBytes = 6;
const idBytes = 14;

/** What a cursor may hold. */
export const isEntryId = (text: string) => /^[0-9a-f]{28}$/.test(text);

/** Makes keys of new entries; those of one process sort as they were made, within a millisecond too. */
export function createEntryKeys(): (application: Buffer, createdAt: number) => Binary {
  const ofProcess = randomBytes(4);
  let counter = 0;
  return (application, createdAt) => {
    const key = Buffer.allocUnsafe(applicationBytes + idBytes);
    application.copy(key);
    key.writeUIntBE(createdAt, applicationBytes, timeBytes);
    ofProcess.copy(key, applicationBytes + timeBytes);
    key.writeUInt32BE(counter, applicationBytes + timeBytes + 4);
    counter = (counter + 1) % 2 ** 32;
    return new Binary(key);
  };
}

/** The key under which an entry is stored: the application's id, then the entry's. */
export function toKey(application: string, id: EntryId): Binary {
  return new Binary(Buffer.from(application + id, 'hex'));
}

/** The lowest key that an entry of this time can have. */
export function firstKeyAt(application: string, time: Date): Binary {
  const milliseconds = Math.min(Math.max(time.getTime(), 0), 2 ** 48 - 1);
  return toKey(
    application,
    milliseconds
      .toString(16)
      .padStart(2 * timeBytes, '0')
      .padEnd(2 * idBytes, '0'),
  );
}

export const lowestId: EntryId = '0'.repeat(2 * idBytes);
export const highestId: EntryId = 'f'.repeat(2 * idBytes);

export function fromKey({ buffer }: Binary): { id: EntryId; createdAt: Date } {
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset + applicationBytes, idBytes);
  return { id: bytes.toString('hex'), createdAt: new Date(bytes.readUIntBE(0, timeBytes)) };
}
