import { randomBytes } from 'node:crypto';
import { entryStore } from '@sluice/store/entries/entries.ts';
import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt, fromKey } from '@sluice/store/entries/entry-id.ts';
import { horizonStore } from '@sluice/store/entries/horizon.ts';
import type { MilestoneDocument } from '@sluice/store/entries/milestone-document.ts';
import { milestoneStore } from '@sluice/store/entries/milestones.ts';
import { corrected, removedOf } from '@sluice/store/entries/removed-entries.ts';
import { createWriter } from '@sluice/store/entries/writer.ts';
import { inSnapshot } from '@sluice/store/in-snapshot.ts';
import { createIndexes } from '@sluice/store/indexes.ts';
import { type Binary, type Db, ObjectId } from 'mongodb';

/** Entries without a whole store. */
export function entriesIn(
  db: Db,
  options: Pick<Parameters<typeof entryStore>[2], 'milestones' | 'filterMs'>,
) {
  const horizon = horizonStore(db);
  const writer = createWriter(horizon);
  return entryStore(db, 10_000, { ...options, horizon, writer });
}

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
  let stored: { key: Binary; id: string; time: number; n: number }[] = [];
  let made = 0;

  /** Newest first. */
  const all = () => stored.toSorted((a, b) => (a.id < b.id ? 1 : -1));

  return {
    application,
    milestones,
    entries,
    all,

    async insert(times: number[], payload: (n: number) => Record<string, unknown> = (n) => ({ n })) {
      const documents = times.map((time) => {
        const n = made++;
        const key = makers[n % makers.length]?.(Buffer.from(application, 'hex'), time) as Binary;
        stored.push({ key, id: fromKey(key).id, time, n });
        return { _id: key, payload: payload(n) };
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
