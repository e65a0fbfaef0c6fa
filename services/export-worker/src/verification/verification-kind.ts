import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimJob,
  type JobEnd,
  JobFailed,
  type JobKind,
  type Turn,
} from '@sluice/jobs/kind.ts';
import type { VerificationJob } from '@sluice/jobs/record/archive-record.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { verifyCount } from './verify-count.ts';
import { verifyFiles } from './verify-files.ts';
import { readChain, verifyNames } from './verify-manifests.ts';

interface Dependencies {
  store: Store;
  /** Opens what an archive stores its files in. Throws ObjectStoreError. */
  openObjects(archive: Pick<ArchiveRecord, 'to' | 'format'>): ObjectStore;
  leaseMs: number;
}

/** Verifications of archives: all that their manifests name is there, as they say, and is what is stored. */
export function verificationKind({ store, openObjects, leaseMs }: Dependencies): JobKind<VerificationJob> {
  const { archives, jobs } = store;

  async function verify(job: VerificationJob, turn: Turn): Promise<JobEnd> {
    const { application, domain, id, fence } = job;
    const archive = await archives.get(application, job.options.archive);
    // A deleted archive ends its verifications like a deleted application does.
    if (!archive) throw new ApplicationDeleted();
    const objects = openObjects(archive);
    try {
      const manifests = await readChain(objects, domain, archive);
      await verifyNames(store, objects, domain, archive, manifests);
      const totals = await verifyFiles(objects, domain, manifests, {
        after: job.after,
        turn,
        async goOn(after, done) {
          if (!(await jobs.verifications.goOn(id, fence, after, done))) throw new LeaseLost();
        },
      });
      const entries = await verifyCount(store, objects, domain, archive, manifests, turn);
      return { result: { result: { entries, ...totals, equal: true } } };
    } finally {
      objects.close();
    }
  }

  async function verifyOrFail(job: VerificationJob, turn: Turn): Promise<JobEnd> {
    try {
      return await verify(job, turn);
    } catch (error) {
      if (error instanceof LakeFault || error instanceof ObjectStoreError) throw new JobFailed(error.message);
      throw error;
    }
  }

  return { kind: 'verification', next: (named) => claimJob(jobs, named, leaseMs, verifyOrFail) };
}
