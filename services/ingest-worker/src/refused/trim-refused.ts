import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How often an unchanged application is checked. */
const restMs = hourMs;

/** Keeps refused uploads and their counts within the limits of their applications. May run in many processes at once. */
export function createTrimRefused({
  applications,
  refused,
  refusalCounts,
}: Pick<Store, 'applications' | 'refused' | 'refusalCounts'>) {
  /** The newest upload seen, by application. */
  const seen = new Map<string, string>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Trims an application, or removes everything if the application is purged. */
  async function trimOne(
    application: string,
    trim: (limits: ApplicationRecord['refused']) => Promise<void>,
    remove: () => Promise<void>,
  ): Promise<void> {
    const [found] = await applications.byIds([application]);
    if (found) await trim(found.refused);
    else if ((await applications.purgedAmong([application])).length > 0) await remove();
  }

  async function trimKept(): Promise<void> {
    const found = await refused.newestOfAll();
    const grown = found.filter(({ application, newest }) => seen.get(application) !== newest);
    for (const { application, newest } of grown) {
      await trimOne(
        application,
        (limits) => refused.trim(application, limits),
        async () => void (await refused.remove(application, {})),
      );
      seen.set(application, newest);
    }
  }

  async function trimCounts(): Promise<void> {
    for await (const application of refusalCounts.applications())
      await trimOne(
        application,
        ({ days }) => refusalCounts.trim(application, new Date(Date.now() - days * dayMs)),
        () => refusalCounts.removeAll(application),
      );
  }

  return async function trimRefused(): Promise<void> {
    const isTime = performance.now() - lookedAt > restMs;
    if (isTime) seen.clear();
    await trimKept();
    if (!isTime) return;
    lookedAt = performance.now();
    await trimCounts();
  };
}
