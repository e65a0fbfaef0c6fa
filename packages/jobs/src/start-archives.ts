import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { Store } from './connect.ts';
import type { JobQueue } from './queue/producer.ts';
import type { ArchiveJob } from './record/archive-record.ts';

type Stores = Pick<Store, 'applications' | 'archives' | 'jobs'>;

const atOnce = 500;

/** Starts the next run of an archive, or tries it again where it failed. May run in many processes at once. */
export function createStartRun({ applications, archives, jobs }: Stores, queue: Pick<JobQueue, 'enqueue'>) {
  async function make(archive: ArchiveRecord): Promise<ArchiveJob | undefined> {
    const application = await applications.byId(archive.application);
    // Others are due too, and only so many are looked at.
    if (!application) {
      await archives.putOff(archive);
      return undefined;
    }
    const { id, domain, owner } = application;
    const options = { archive: archive.id, run: archive.run };
    const transient = archive.asked !== undefined;
    return jobs.archives.create({ application: id, owner: owner.id, domain, options, transient });
  }

  return async function startRun(archive: ArchiveRecord): Promise<void> {
    const found = await jobs.archives.ofRun({ archive: archive.id, run: archive.run });
    // Someone cancelled it: the next look makes another.
    if (found?.state === 'cancelled') await jobs.remove(found.id);
    const isFailed = found?.state === 'failed';
    const started = isFailed ? await jobs.retry(found, 'as it stands') : !found && (await make(archive));
    if (started) await queue.enqueue(started);
  };
}

/** Starts the runs of archives that are due. */
export function createStartArchives(store: Stores, queue: Pick<JobQueue, 'enqueue'>) {
  const startRun = createStartRun(store, queue);
  return async function startArchives(): Promise<void> {
    for (const archive of await store.archives.due(atOnce)) await startRun(archive);
  };
}
