import { printed } from '@sluice/json/numbers.ts';
import { BSON } from 'mongodb';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { fromKey } from './entry-id.ts';

/** The entry in the BSON of its document; the payload is for JSON.stringify: -0 is 0, and an int64 is printed with all its digits. */
export function readDocument(document: Uint8Array): StoredEntry {
  const stored = BSON.deserialize(document, { useBigInt64: true }) as EntryDocument;
  const { _id, payload, version = 1, receivedAt } = stored;
  return {
    ...fromKey(_id),
    version,
    ...(receivedAt && { receivedAt }),
    payload: plain(payload) as StoredEntry['payload'],
  };
}

/** Changes in place what the BSON reader gives otherwise than JSON: it makes a DBRef of {$ref, $id}. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'bigint') return printed(value);
  if (typeof value !== 'object' || value === null) return value;
  const object = (value instanceof BSON.DBRef ? value.toJSON() : value) as Record<string, unknown>;
  for (const key of Object.keys(object)) object[key] = plain(object[key]);
  return object;
}
