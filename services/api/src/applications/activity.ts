import type { Store } from '@sluice/jobs/connect.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { minuteOf } from '@sluice/store/refused/refusal-counts.ts';

const dayMs = 86_400_000;
const atOnce = 10;

/** Counts that are not in the record of an application. */
export interface Activity {
  entries: number;
  /** With a `createdAt` within 24 hours. */
  entriesOfDay: number;
  lastEntryAt: Date | undefined;
  /** Uploads that were refused within 24 hours. */
  refused: number;
  /** What needs somebody. Of jobs, those that were made within 24 hours. */
  failing: { webhooks: number; archives: number; jobs: number };
  /** Of payloads, where somebody asked. */
  bytes?: number | undefined;
}

export type ActivityOf = (applications: ApplicationRecord[]) => Promise<Map<string, Activity>>;

type Stores = Pick<Store, 'entries' | 'refusalCounts' | 'webhooks' | 'archives' | 'jobs'>;

/** Looks up the activity of applications, by id. Only those with entries cost a query each, and one more with entries of the day. */
export const createActivityOf =
  ({ entries, refusalCounts, webhooks, archives, jobs }: Stores): ActivityOf =>
  async (applications) => {
    const found = new Map<string, Activity>();
    if (applications.length === 0) return found;
    const ids = applications.map(({ id }) => id);
    const since = new Date(minuteOf(Date.now() - dayMs));
    const [newest, refused, ofWebhooks, ofArchives, ofJobs] = await Promise.all([
      entries.newest(ids),
      refusalCounts.since(ids, since),
      webhooks.failingOf(ids),
      archives.failingOf(ids),
      jobs.failedSince(ids, since),
    ]);

    async function look({ id, hasDeletions }: ApplicationRecord): Promise<void> {
      const lastEntryAt = newest.get(id);
      const isIntact = !hasDeletions;
      found.set(id, {
        entries: lastEntryAt ? await entries.count(id, { isIntact }) : 0,
        entriesOfDay:
          lastEntryAt && lastEntryAt >= since ? await entries.count(id, { isIntact, from: since }) : 0,
        lastEntryAt,
        refused: refused.get(id)?.refused ?? 0,
        failing: {
          webhooks: ofWebhooks.get(id) ?? 0,
          archives: ofArchives.get(id) ?? 0,
          jobs: ofJobs.get(id) ?? 0,
        },
      });
    }
    const sideBySide = createSideBySide(atOnce);
    for (const application of applications) await sideBySide.add(() => look(application));
    await sideBySide.finish();
    return found;
  };
