import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import type { Binary, Db } from 'mongodb';
import type { Bench } from './bench.ts';
import { entryDocument } from './entry-document.ts';
import { payloadOf, type Shape } from './payload.ts';
import { applicationId, withStore } from './store.ts';
import { figure } from './table.ts';

const perCommand = 1_000;
const inFlight = 2;
/** Old enough that no worker treats the entries as recent. */
const usualAgeMs = 3_600_000;

/**
 * Inserts entries without the API, one for each millisecond until `ageMs` ago.
 * They are compared with an entry that was uploaded before.
 */
export async function fillEntries(
  bench: Bench,
  database: string,
  domain: string,
  count: number,
  { ageMs = usualAgeMs, shape = 10 }: { ageMs?: number | undefined; shape?: Shape | undefined } = {},
) {
  const payloads = Array.from({ length: perCommand }, (_, i) => JSON.parse(payloadOf(1_024, shape, i)));
  const db = bench.mongodb.db(database);
  const id = await withStore(bench, database, (store) => applicationId(store, domain));
  const application = Buffer.from(id, 'hex');
  await expectSameShape(db, entryDocument(application, Date.now(), payloads[0]));
  const oldest = Date.now() - ageMs - count;
  let begun = 0;
  let stored = 0;
  async function lane() {
    while (begun < count) {
      const from = begun;
      begun = Math.min(count, from + perCommand);
      const documents = payloads
        .slice(0, begun - from)
        .map((payload, i) => entryDocument(application, oldest + from + i, payload));
      const { n } = await db.command({ insert: 'entries', ordered: false, documents });
      if (n !== documents.length) throw new Error(`${n} of ${documents.length} entries stored`);
      stored += documents.length;
      const tenth = Math.floor((10 * stored) / count);
      if (tenth > Math.floor((10 * (stored - documents.length)) / count))
        bench.say(`  ${figure(stored)} entries stored`);
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** The inserted entries must be the same as those of the API. */
async function expectSameShape(db: Db, made: EntryDocument): Promise<void> {
  const uploaded = await db.collection<{ _id: Binary }>('entries').findOne();
  const shape = (document: object | null) =>
    JSON.stringify(Object.entries(document ?? {}).map(([key, value]) => [key, value.constructor.name]));
  const differs = shape(uploaded) !== shape(made) || uploaded?._id.length() !== (made._id as Binary).length();
  if (differs) throw new Error(`entries are stored as ${shape(uploaded)}, not as ${shape(made)}`);
}
