import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { asCluster } from '../../../../test/support/as-cluster.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { runs } from '../../../../test/support/runs.ts';
import { batchStore, LinesTaken } from './batches.ts';
import { entryStore, type NewEntry, type Outcome } from './entries.ts';
import { type EntryDocument, hashesIn } from './entry-document.ts';
import { createKeysAt, timeOfKey } from './entry-id.ts';
import { range } from './entry-range.ts';
import { horizonStore } from './horizon.ts';
import { hashUniqueValue } from './once.ts';
import { createWriter } from './writer.ts';

/** Entries before this time are too old to have their values. */
const valueSince = 2_000_000;
const beforeIt = 1_000_000;

function createProcess(db: Db) {
  const horizon = horizonStore(db);
  const writer = createWriter(horizon);
  const entries = entryStore(db, 20_000, { horizon, writer });
  const batches = batchStore(db, { entries, writer, horizon, timeoutMs: 20_000 });
  return { entries, batches, close: writer.close };
}

const upload = fc.record({
  value: fc.nat({ max: 3 }),
  n: fc.nat({ max: 1 }),
  key: fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 3 }),
});
type Upload = typeof upload extends fc.Arbitrary<infer U> ? U : never;
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('each', 'each', 'atomic'),
      via: fc.nat({ max: 1 }),
      uploads: fc.array(upload, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removal' as const), value: fc.nat({ max: 3 }) }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;
const histories = fc.record({
  old: fc.uniqueArray(fc.nat({ max: 3 })),
  rounds: fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
});
type History = typeof histories extends fc.Arbitrary<infer H> ? H : never;

it.each([
  ['a replica set', false],
  ['a cluster', true],
])(
  'on %s each value and each key has one entry, and what was acknowledged is there',
  async (_where, isOnCluster) => {
    const { url } = await ownDatabase();
    const client = new MongoClient(url, {
      ignoreUndefined: true,
      readConcern: { level: 'majority' },
      writeConcern: { w: 'majority', journal: true },
    });
    onTestFinished(() => client.close());
    const db = client.db();
    const documents = db.collection<EntryDocument>('entries');
    const processes = [0, 1].map(() => createProcess(isOnCluster ? asCluster(db) : db));
    onTestFinished(async () => {
      await Promise.all(processes.map(({ close }) => close()));
    });
    for (const { entries } of processes) await entries.prepare();
    const newKey = createKeysAt();

    async function run({ old, rounds }: History): Promise<void> {
      const application = new ObjectId().toHexString();
      const hashOf = (value: number) => hashUniqueValue(application, '/id', value);
      const keyOf = (key: number) =>
        createHash('sha256').update(`${application} ${key}`).digest().subarray(0, 16);
      const toEntry = ({ value, n, key }: Upload): NewEntry => ({
        application,
        ...payloadOf({ value, n }),
        once: key === undefined ? [hashOf(value)] : [hashOf(value), keyOf(key)],
        valueSince,
      });
      const { entries } = processes[0] as ReturnType<typeof createProcess>;
      const seeds = old.map((value) => ({
        ...payloadOf({ value, n: 0 }),
        key: newKey(Buffer.from(application, 'hex'), beforeIt),
        once: [hashOf(value)],
        valueSince,
      }));
      if (seeds.length > 0) expect(await entries.insertKeyed(seeds)).toEqual(seeds.map(() => 'stored'));

      /** Each entry that was told to be there, and its payload. */
      const told: { entry: NewEntry; upload: Upload; outcome: Outcome }[] = [];
      async function act(given: Action): Promise<void> {
        if (given.kind === 'removal') {
          await documents.deleteMany({ ...range(application, {}), 'payload.value': given.value });
          return;
        }
        const { via, uploads, kind } = given;
        const process = processes[via] as ReturnType<typeof createProcess>;
        const made = uploads.map((upload) => ({ upload, entry: toEntry(upload) }));
        const sent = made.map(({ entry }) => entry);
        if (kind === 'each') {
          const outcomes = await process.entries.insert(sent);
          for (const [at, outcome] of outcomes.entries())
            told.push({ ...(made[at] as (typeof made)[0]), outcome });
          return;
        }
        const stored = process.batches.storeAll(async function* () {
          yield sent;
        });
        const known = await stored.catch((error) => {
          // On a cluster a key can have the place of another value that is under way.
          const isKnown = error instanceof LinesTaken || (isOnCluster && /under way/.test(error.message));
          if (!isKnown) throw error;
        });
        if (known) for (const { upload, entry } of made) told.push({ upload, entry, outcome: 'stored' });
      }

      for (const round of rounds) {
        told.length = 0;
        await Promise.all(round.map(act));
        const removed = new Set(round.flatMap((one) => (one.kind === 'removal' ? [one.value] : [])));
        const stored = await documents.find(range(application, {})).toArray();
        const current = stored.filter(({ _id }) => timeOfKey(_id) >= valueSince);
        const values = current.map(({ payload }) => payload.value as number);
        expect(values.toSorted()).toEqual([...new Set(values)].toSorted());
        const hashes = stored.flatMap(hashesIn);
        expect(isOnCluster ? [] : hashes.toSorted()).toEqual(
          isOnCluster ? [] : [...new Set(hashes)].toSorted(),
        );
        for (const { upload, outcome } of told) {
          if (!isOnCluster) expect(outcome).not.toBe('unconfirmed');
          if (removed.has(upload.value)) continue;
          const found = current.find(({ payload }) => payload.value === upload.value);
          if (outcome === 'stored' || outcome === 'repeated')
            expect(found?.payload).toEqual({ value: upload.value, n: upload.n });
          if (outcome === 'duplicate')
            expect(found?.payload).toEqual({ value: upload.value, n: 1 - upload.n });
        }
      }
    }

    await fc.assert(fc.asyncProperty(histories, run), runs(20, 60));
  },
  600_000,
);
