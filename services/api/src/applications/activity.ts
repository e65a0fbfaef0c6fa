import type { Store } from '@sluice/jobs/connect.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { minuteOf } from '@sluice/store/refused/refusal-counts.ts';

const dayMs = 86_400_000;
const atOnce = 10;

/** What came to an application: beside its record. */
export interface Activity {
  entries: number;
  lastEntryAt: Date | undefined;
  /** How many were refused within 24 hours. */
  refused: number;
}

export type ActivityOf = (applications: ApplicationRecord[]) => Promise<Map<string, Activity>>;

/** By the id of the application. Those that have no entries cost two queries together. */
export const createActivityOf =
  ({ entries, refusalCounts }: Pick<Store, 'entries' | 'refusalCounts'>): ActivityOf =>
  async (applications) => {
    const found = new Map<string, Activity>();
    if (applications.length === 0) return found;
    const ids = applications.map(({ id }) => id);
    const since = new Date(minuteOf(Date.now() - dayMs));
    const [newest, refused] = await Promise.all([entries.newest(ids), refusalCounts.since(ids, since)]);

    async function look({ id, hasDeletions }: ApplicationRecord): Promise<void> {
      const lastEntryAt = newest.get(id);
      const count = lastEntryAt ? await entries.count(id, { isIntact: !hasDeletions }) : 0;
      found.set(id, { entries: count, lastEntryAt, refused: refused.get(id) ?? 0 });
    }
    const sideBySide = createSideBySide(atOnce);
    for (const application of applications) await sideBySide.add(() => look(application));
    await sideBySide.finish();
    return found;
  };
