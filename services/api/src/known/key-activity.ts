import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Sender } from '@sluice/store/applications/senders.ts';
import { sumOf } from '@sluice/store/refused/losses.ts';
import { minuteOf } from '@sluice/store/refused/refusal-counts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What came with a key. */
interface KeyActivity {
  stored: number;
  refused: number;
}

type Counted = Pick<ApplicationRecord, 'id' | 'hasDeletions'>;

/** What came lately, and from whom: one query for all keys of an application. */
export function createKeyActivity({
  entries,
  senders,
  refusalCounts,
}: Pick<Store, 'entries' | 'senders' | 'refusalCounts'>) {
  /** The senders of the entries since a whole minute, and how many each has. */
  async function sentSince({ id, hasDeletions }: Counted, from: number): Promise<[Sender, number][]> {
    const steps = { from, length: minuteOf(Date.now()) + minuteMs - from, count: 1 };
    const counts = await entries.countStepsBySender(id, steps, !hasDeletions);
    const found = await senders.byNumber(id, counts.keys());
    return [...counts].map(([number, [count = 0]]) => [found.get(number) as Sender, count]);
  }

  return {
    /** Of the last 24 hours, by the id of the key. */
    async ofDay(application: Counted): Promise<Map<string, KeyActivity>> {
      const from = minuteOf(Date.now() - dayMs);
      const period = { from: new Date(from), to: new Date(minuteOf(Date.now()) + minuteMs) };
      const [sent, missed] = await Promise.all([
        sentSince(application, from),
        refusalCounts.byKey(application.id, period),
      ]);
      const found = new Map<string, KeyActivity>();
      const add = (key: string | null | undefined, stored: number, refused: number) => {
        if (!key) return;
        const before = found.get(key) ?? { stored: 0, refused: 0 };
        found.set(key, { stored: before.stored + stored, refused: before.refused + refused });
      };
      for (const [{ key }, count] of sent) add(key, count, 0);
      for (const { key, refused, lost } of missed) add(key, 0, refused + sumOf(lost));
      return found;
    },

    /** Entries of the last hour whose upload would be refused where a key is required. */
    async withoutKey(application: Counted): Promise<number> {
      const sent = await sentSince(application, minuteOf(Date.now() - hourMs));
      const without = sent.filter(([{ key, user, job }]) => !key && !user && !job);
      return without.reduce((sum, [, count]) => sum + count, 0);
    },
  };
}
