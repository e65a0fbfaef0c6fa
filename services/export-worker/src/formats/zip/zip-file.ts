import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { Piece } from '../format.ts';
import { dataDescriptor, directory, localHeader, type ZipEntry } from './zip-records.ts';

const compress = promisify(deflateRaw);
/** Half of the default's time, for a tenth more bytes. Each piece ends with a byte, so that they follow each other. */
const options = { level: 3, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1024 ** 2 };
/** An empty block that is marked as the last one. */
const lastBlock = Buffer.from([0x03, 0x00]);

/** How far a piece got: its file in the archive, and the entries read for it. Stored with the part. */
export interface ZipNote extends Omit<ZipEntry, 'name'> {
  file: number;
  isWhole: boolean;
  /** Where the piece ends. */
  end: number;
  own: number;
}

interface Options {
  names: string[];
  time: Date;
  notes: ZipNote[];
}

/** A ZIP archive, written from its beginning to its end in pieces, each of one file in it. */
export function createZipFile({ names, time, notes }: Options) {
  const whole = notes.filter(({ isWhole }) => isWhole);
  let state = notes.at(-1);

  /** The text of a file, packed, with what is before it and behind it. */
  async function piece(file: number, isWhole: boolean, text: Buffer, own: number): Promise<Piece> {
    const name = names[file] as string;
    const end = state?.end ?? 0;
    const goesOn = state?.file === file ? state : undefined;
    const { start, ...before } = goesOn ?? { start: end, crc: 0, packed: 0, size: 0 };
    const blocks = [await compress(text, options), ...(isWhole ? [lastBlock] : [])];
    const data = goesOn ? blocks : [localHeader(name, time), ...blocks];
    const entry: ZipEntry = {
      name,
      crc: crc32(text, before.crc),
      packed: before.packed + lengthOf(blocks),
      size: before.size + text.length,
      start,
    };
    if (isWhole) data.push(dataDescriptor(entry));
    const { name: _, ...sizes } = entry;
    state = { ...sizes, file, isWhole, own, end: end + lengthOf(data) };
    if (isWhole) whole.push(state);
    if (whole.length === names.length) data.push(tail(state.end));
    return { data: Buffer.concat(data), note: state };
  }

  function tail(start: number): Buffer {
    const entries = whole.map(({ file, ...sizes }) => ({ ...sizes, name: names[file] as string }));
    return directory(entries, time, start);
  }

  return { piece, whole, last: state };
}

const lengthOf = (parts: Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0);
