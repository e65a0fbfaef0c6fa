import { printed } from '@sluice/json/numbers.ts';
import { BSON } from 'mongodb';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { fromKey } from './entry-id.ts';

/** The entry in the BSON of its document; the payload is for JSON.stringify: -0 is 0, and an int64 is printed with all its digits. */
export function readDocument(document: Uint8Array): StoredEntry {
  const stored = BSON.deserialize(document, { useBigInt64: true }) as EntryDocument;
  const { _id, payload, version = 1, receivedAt, by } = stored;
  return {
    ...fromKey(_id),
    version,
    ...(receivedAt && { receivedAt }),
    ...(by && { by }),
    payload: plain(payload, printed) as StoredEntry['payload'],
  };
}

/** The payload of the entry as validation takes it: a BigInt is an integer beyond 2^53. */
export function readPayloadOf(document: Uint8Array): StoredEntry['payload'] {
  const { payload } = BSON.deserialize(document, { useBigInt64: true }) as EntryDocument;
  return plain(payload, exact) as StoredEntry['payload'];
}

function exact(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** Changes in place what the BSON reader gives otherwise than JSON: it makes a DBRef of {$ref, $id}. */
function plain(value: unknown, integer: (value: bigint) => unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value !== 'object' || value === null) return value;
  const object = (value instanceof BSON.DBRef ? value.toJSON() : value) as Record<string, unknown>;
  for (const key of Object.keys(object)) object[key] = plain(object[key], integer);
  return object;
}
