import { roomFor } from '@sluice/bson/room.ts';
import { bsonRoom, inexact, writeBson } from '@sluice/bson/write-bson.ts';
import { type EntryFields, writeDocuments } from '@sluice/bson/write-entries.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { LakeLine } from '@sluice/objects/lake/lake-lines.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { JsonEntry } from '@sluice/store/entries/match-entries.ts';
import type { EntryDocuments } from './read-pages.ts';

/** What is converted at a time. */
const mostLines = 1_000;
const mostBytes = 1024 ** 2;

/** The documents of entries as MongoDB had them, of the lines that archives have written. `matches`: which of them are wanted. */
export async function* toDocuments(
  application: string,
  lines: AsyncIterable<LakeLine>,
  matches: ((entries: JsonEntry[]) => Promise<boolean[]>) | undefined,
): AsyncGenerator<EntryDocuments> {
  let entries: (JsonEntry & { document: Buffer })[] = [];
  let last: EntryId | undefined;
  let bytes = 0;

  async function take(): Promise<EntryDocuments> {
    const isWanted = await matches?.(entries);
    const wanted = isWanted ? entries.filter((_, at) => isWanted[at]) : entries;
    entries = [];
    bytes = 0;
    return { documents: wanted.map(({ document }) => document), last: last as EntryId };
  }

  for await (const line of lines) {
    entries.push(toEntry(application, line));
    last = line.id;
    bytes += line.bytes.length;
    if (entries.length >= mostLines || bytes >= mostBytes) yield await take();
  }
  if (entries.length > 0) yield await take();
}

const payloadName = Buffer.from(',"payload":');

/** What an archive writes before the payload. */
interface Head {
  schema_version?: number;
  received_at?: string;
  sender?: number;
  announced?: number;
}

function toEntry(application: string, { id, bytes }: LakeLine): JsonEntry & { document: Buffer } {
  // No text of a user is before it.
  const at = bytes.indexOf(payloadName);
  if (at < 0) throw new LakeFault(`entry ${id} has no payload in its archive`);
  const head = parseJson(`${bytes.toString('latin1', 0, at)}}`) as Head;
  const payload = bytes.subarray(at + payloadName.length, bytes.length - 1);
  const { target, start } = roomFor(bsonRoom(payload));
  const end = writeBson(payload, target, start);
  if (end === inexact) throw new LakeFault(`entry ${id} has a payload in its archive that no entry can have`);
  const key = Buffer.from(application + id, 'hex');
  const fields: EntryFields = {
    key: { buffer: key, position: key.length },
    bson: target.subarray(start, end),
    version: head.schema_version,
    receivedAt: head.received_at === undefined ? undefined : new Date(head.received_at),
    announced: head.announced,
    by: head.sender,
  };
  return { document: writeDocuments([fields]), payload, by: head.sender };
}
