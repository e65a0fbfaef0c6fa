import { createWriteStream } from 'node:fs';
import { devNull } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { type Entry, onRead, openEntries } from './entries.ts';

/** The usual way to write a CSV file: a cursor, csv-stringify, a file. */
const { entries, filter, sort } = openEntries(process.argv.slice(2));

const timeOf = ({ _id }: Entry) => new Date(Buffer.from(_id.buffer).readUIntBE(12, 6)).toISOString();

onRead(async () => {
  let count = 0;
  const first = await entries.findOne(filter);
  const columns = ['createdAt', ...Object.keys(first?.payload ?? {})];
  const toRecord = (entry: Entry) => {
    count += 1;
    return { createdAt: timeOf(entry), ...entry.payload };
  };
  await pipeline(
    entries.find(filter).sort(sort).map(toRecord).stream(),
    stringify({ header: true, columns, cast: { boolean: String } }),
    createWriteStream(devNull),
  );
  return count;
});
