import { createHash, randomBytes } from 'node:crypto';
import { entryStore } from '@sluice/store/entries/entries.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt, fromKey } from '@sluice/store/entries/entry-id.ts';
import { horizonStore } from '@sluice/store/entries/horizon.ts';
import type { MilestoneDocument } from '@sluice/store/entries/milestone-document.ts';
import { milestoneStore } from '@sluice/store/entries/milestones.ts';
import { addProofs, proofOf } from '@sluice/store/entries/proof.ts';
import { corrected, removedOf } from '@sluice/store/entries/removed-entries.ts';
import type { StepSums, TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { createWriter } from '@sluice/store/entries/writer.ts';
import { inSnapshot } from '@sluice/store/in-snapshot.ts';
import { createIndexes } from '@sluice/store/indexes.ts';
import { Binary, type Db, ObjectId } from 'mongodb';

/** Entries without a whole store. */
export function entriesIn(
  db: Db,
  options: Pick<Parameters<typeof entryStore>[2], 'milestones' | 'filterMs'>,
) {
  const horizon = horizonStore(db);
  const writer = createWriter(horizon);
  return entryStore(db, 10_000, { ...options, horizon, writer });
}

/** By whom an entry was sent, and with which key or value. */
type Sent = Pick<EntryDocument, 'by' | 'once'>;

/** Entries of one application with times of one's own, and the naive answers to what is asked of them. */
export async function modelEntries(
  db: Db,
  { spacing, application = randomBytes(12).toString('hex') }: { spacing: number; application?: string },
) {
  const milestones = milestoneStore(db, spacing);
  const entries = entriesIn(db, { milestones });
  await Promise.all([entries.prepare(), createIndexes(db)]);
  // As many processes make them.
  const makers = [createKeysAt(), createKeysAt(), createKeysAt()];
  let stored: ({ key: Binary; id: string; time: number; n: number } & Sent)[] = [];
  let made = 0;

  /** Newest first. */
  const all = () => stored.toSorted((a, b) => (a.id < b.id ? 1 : -1));

  /** Some entries have a sender, some a key or a value or both, and some are lines of keyed batches. */
  function sentAs(n: number): Sent {
    const hash = (of: string, bytes: number) =>
      new Binary(createHash('sha256').update(`${application} ${of} ${n}`).digest().subarray(0, bytes));
    const once = [undefined, hash('key', 16), hash('line', 17), [hash('value', 16), hash('key', 16)]][n % 4];
    return { ...(n % 3 > 0 && { by: 1_000 * (n % 3) }), ...(once && { once: once as Binary }) };
  }

  return {
    application,
    milestones,
    entries,
    all,

    async insert(times: number[], payload: (n: number) => Record<string, unknown> = (n) => ({ n })) {
      const documents = times.map((time) => {
        const n = made++;
        const key = makers[n % makers.length]?.(Buffer.from(application, 'hex'), time) as Binary;
        const sent = sentAs(n);
        stored.push({ key, id: fromKey(key).id, time, n, ...sent });
        return { _id: key, payload: payload(n), ...sent };
      });
      if (documents.length > 0) await db.collection<EntryDocument>('entries').insertMany(documents);
    },

    /** What a listing should have: the entries below `before`, in the period. */
    listed({
      from,
      to,
      before,
    }: {
      from?: Date | undefined;
      to?: Date | undefined;
      before?: string | undefined;
    }) {
      return all().filter(
        ({ id, time }) =>
          (!before || id < before) && (!from || time >= from.getTime()) && (!to || time < to.getTime()),
      );
    },

    /** What the entries of steps add up to by sender. */
    sums({ from, length, count }: TimeSteps): StepSums<number> {
      const steps = Array.from({ length: count }, (_, step) => {
        const begin = from + step * length;
        return stored.filter(({ time }) => time >= begin && time < begin + length);
      });
      const senders = [...new Set(steps.flat().map(({ by = 0 }) => by))];
      const countOf = (sender: number) =>
        steps.map((some) => some.filter(({ by = 0 }) => by === sender).length);
      return {
        groups: new Map(senders.filter((sender) => sender > 0).map((sender) => [sender, countOf(sender)])),
        rest: countOf(0),
        proofs: steps.map((some) => some.reduce((sum, { once }) => addProofs(sum, proofOf(once)), 0n)),
      };
    },

    /** They were deleted. */
    forget(ids: Iterable<string>) {
      const gone = new Set(ids);
      stored = stored.filter(({ id }) => !gone.has(id));
    },

    /** What milestones there are: ranks, and what they should be by the entries that are stored now. */
    async ranks() {
      const removed = await inSnapshot(db, (session) => removedOf(db, application, session));
      const found = await db
        .collection<MilestoneDocument>('milestones')
        .find({ application: new ObjectId(application) })
        .sort({ _id: 1 })
        .toArray();
      return {
        set: found.map((milestone) => corrected(milestone, removed).rank),
        counted: found.map(({ _id }) => stored.filter(({ id }) => id <= fromKey(_id).id).length),
      };
    },
  };
}
