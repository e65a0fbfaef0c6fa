import { onRead, openEntries } from './entries.ts';

/** The driver's cursor alone: reads the bytes of documents and ignores them. */
const { entries, filter, sort } = openEntries(process.argv.slice(2));

onRead(async () => {
  const cursor = entries.find(filter, { raw: true, batchSize: 20_000 }).sort(sort);
  let count = 0;
  while (await cursor.hasNext()) count += cursor.readBufferedDocuments().length;
  return count;
});
