import { randomBytes } from 'node:crypto';
import { Binary } from 'mongodb';

/**
 * The place of an entry in its application: 28 hexadecimal digits that sort like `createdAt`.
 * They are 6 bytes of milliseconds, 4 of the process and 4 of a counter; see docs/decisions/0007-layout-of-entries.md.
 */
export type EntryId = string;

const applicationBytes = 12;
const timeBytes = 6;
export const entryIdBytes = 14;
const counterAt = applicationBytes + timeBytes + 4;

/** Of the application's id and a time in ms since the epoch. `count` keys follow one another from it on: see `keyFrom`. */
type NewKey = (application: Buffer, createdAt: number, count?: number) => Binary;

const counters = 2 ** 32;

/** Makes keys of any time; keys of one millisecond sort in the order in which they were made. */
export function createKeysAt(): NewKey {
  const ofProcess = randomBytes(4);
  let counter = 0;
  return (application, createdAt, count = 1) => {
    if (counter + count > counters) counter = 0;
    const key = Buffer.allocUnsafe(applicationBytes + entryIdBytes);
    application.copy(key);
    key.writeUIntBE(createdAt, applicationBytes, timeBytes);
    ofProcess.copy(key, applicationBytes + timeBytes);
    key.writeUInt32BE(counter, counterAt);
    counter += count;
    return new Binary(key);
  };
}

/** The key that is `places` after one that `NewKey` made. */
export function keyFrom({ buffer }: Binary, places: number): Binary {
  const key = Buffer.from(buffer);
  key.writeUInt32BE(key.readUInt32BE(counterAt) + places, counterAt);
  return new Binary(key);
}

/** How many places a key is after another one. */
export const placesFrom = (first: Binary, key: Binary): number => counterOf(key) - counterOf(first);

const nearPlaces = 100;

/** Whether few keys can be between one key and a later one: those of their process, of the same millisecond. */
export function isNear(one: Binary, other: Binary): boolean {
  const isSame = Buffer.compare(one.buffer.subarray(0, counterAt), other.buffer.subarray(0, counterAt)) === 0;
  return isSame && placesFrom(one, other) <= nearPlaces;
}

const counterOf = ({ buffer }: Binary) =>
  Buffer.from(buffer.buffer, buffer.byteOffset).readUInt32BE(counterAt);

/**
 * Makes the keys of an import's entries from the numbers of their lines: the same line has the same key, whoever stores
 * it. In the place of the process is `source`, 4 bytes of the import.
 */
export function createLineKeys(
  application: string,
  createdAt: number,
  source: Buffer,
): (line: number) => Binary {
  const common = Buffer.alloc(applicationBytes + entryIdBytes);
  common.write(application, 'hex');
  common.writeUIntBE(createdAt, applicationBytes, timeBytes);
  source.copy(common, applicationBytes + timeBytes, 0, 4);
  return (line) => {
    const key = Buffer.from(common);
    key.writeUInt32BE(line, counterAt);
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
      .padEnd(2 * entryIdBytes, '0'),
  );
}

/** The highest id that an entry of before this time can have. */
export function lastIdBefore(time: Date): EntryId {
  const milliseconds = Math.min(time.getTime(), 2 ** 48) - 1;
  if (milliseconds < 0) return lowestId;
  return milliseconds
    .toString(16)
    .padStart(2 * timeBytes, '0')
    .padEnd(2 * entryIdBytes, 'f');
}

export const lowestId: EntryId = '0'.repeat(2 * entryIdBytes);
export const highestId: EntryId = 'f'.repeat(2 * entryIdBytes);

/** Undefined: there is none. */
export const highest = (one: EntryId | undefined, other: EntryId | undefined): EntryId | undefined =>
  one !== undefined && (other === undefined || one > other) ? one : other;

export const idAfter = (id: EntryId): EntryId =>
  id === highestId ? id : (BigInt(`0x${id}`) + 1n).toString(16).padStart(2 * entryIdBytes, '0');

export const idOfKey = ({ buffer }: Binary): EntryId =>
  Buffer.from(buffer.buffer, buffer.byteOffset + applicationBytes, entryIdBytes).toString('hex');

export function fromKey({ buffer }: Binary): { id: EntryId; createdAt: Date } {
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset + applicationBytes, entryIdBytes);
  return { id: bytes.toString('hex'), createdAt: new Date(bytes.readUIntBE(0, timeBytes)) };
}

/** When the entry of a key was stored, in ms since the epoch. */
export const timeOfKey = (key: Binary): number => fromKey(key).createdAt.getTime();

export const applicationOfKey = (key: Binary): string => key.toString('hex').slice(0, 2 * applicationBytes);

export const timeOfId = (id: EntryId): Date => new Date(Number.parseInt(id.slice(0, 2 * timeBytes), 16));
