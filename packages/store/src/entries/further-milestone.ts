import type { Binary, ClientSession, Collection } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import type { End, Milestone } from './milestone-document.ts';
import type { Tallied } from './milestone-tally.ts';

const sums = {
  _id: null,
  last: { $last: '$_id' },
  count: { $sum: 1 },
  size: { $sum: { $bsonSize: '$payload' } },
};

interface Sums {
  last: Binary;
  count: number;
  size: number;
  tallied?: Tallied[];
}

/** What follows a milestone. */
export function furtherMilestone(entries: Collection<EntryDocument>) {
  async function sumUp(
    { key }: Milestone,
    end: End,
    group: object,
    session: ClientSession,
    limit?: number,
  ): Promise<Sums | undefined> {
    const pipeline = [
      { $match: { _id: { $gt: key, ...end } } },
      { $sort: { _id: 1 } },
      ...(limit === undefined ? [] : [{ $limit: limit }]),
      { $group: group },
    ];
    const [found] = await entries.aggregate<Sums>(pipeline, { session }).toArray();
    return found;
  }

  return {
    /** The milestone `limit` entries further on, or at the last entry, with the entries up to it. */
    async further(
      from: Milestone,
      end: End,
      limit: number,
      session: ClientSession,
    ): Promise<Milestone & { tallied: Tallied[] }> {
      const $push = { _id: '$_id', by: '$by', once: '$once' };
      const found = await sumUp(from, end, { ...sums, tallied: { $push } }, session, limit);
      if (!found) return { ...from, tallied: [] };
      const { last, count, size, tallied = [] } = found;
      return { key: last, rank: from.rank + count, bytes: from.bytes + size, tallied };
    },

    /** Number and bytes of the entries beyond a milestone. */
    async usageBeyond(from: Milestone, end: End, session: ClientSession) {
      const { count = 0, size = 0 } = (await sumUp(from, end, sums, session)) ?? {};
      return { entries: count, bytes: size };
    },
  };
}
