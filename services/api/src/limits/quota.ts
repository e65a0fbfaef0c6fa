import type { Store } from '@sluice/jobs/connect.ts';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { type ApiError, byLimit, tooMany } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { type QuotaName, quotas } from './table.ts';

type Usage = Record<'entries' | 'bytes', number>;
/** Counted before something is made, each by one query. */
type Counted = 'applications' | 'jobs' | 'storedExports' | 'importBytes';

type Count = (ownerId: string, limit: number) => Promise<number>;

interface Dependencies {
  store: Pick<Store, 'applications' | 'jobs' | 'milestones'>;
  config: Pick<ApiConfig, Extract<keyof ApiConfig, `${string}Quota`>>;
  log: Logger;
  timings: { quotaCountMs: number };
}

export type Quotas = ReturnType<typeof createQuotas>;

/** Anyone may upload: the message names the owner. */
const ofOwner = 'the owner of this application has reached the';
const whose: Partial<Record<QuotaName, string>> = { entries: ofOwner, bytes: ofOwner };

/** The 429 of a quota that is reached. */
export function quotaReached(name: QuotaName, limit: number): ApiError {
  const { what, client, advice, limit: setting } = quotas[name];
  const orAsk = typeof setting === 'string' ? `, or ask the operator to raise ${setting}` : '';
  const who =
    whose[name] ?? (client === 'owner' ? 'you have reached your' : `this ${client} has reached its`);
  const reached = `${who} limit of ${limit.toLocaleString('en')} ${what}`;
  return byLimit(`quota_${name}`, tooMany(`${reached}; ${advice}${orAsk}; nothing was stored`, 60));
}

/** Counts what is kept of an owner. Entries of owners who upload are counted every few seconds, beside their uploads. */
export function createQuotas({ store, config, log, timings }: Dependencies) {
  const { applications, jobs, milestones } = store;
  const counted: Record<Counted, [limit: number, count: Count]> = {
    applications: [config.applicationQuota, applications.countOfOwner],
    jobs: [config.jobQuota, jobs.unfinishedOfOwner],
    storedExports: [quotas.storedExports.limit, jobs.exports.keptOfOwner],
    importBytes: [config.importQuota, jobs.imports.bytesOfOwner],
  };
  const ofEntries: Usage = {
    entries: config.entryQuota ?? Number.POSITIVE_INFINITY,
    bytes: config.byteQuota ?? Number.POSITIVE_INFINITY,
  };
  const isSet = config.entryQuota !== undefined || config.byteQuota !== undefined;
  /** Owners who had reached a quota at the last count. */
  const reached = new Map<string, keyof Usage>();
  const uploading = new Set<string>();
  /** Whether the last count failed: a failure is logged once. */
  let hasFailed = false;

  async function count(ownerId: string): Promise<void> {
    const usage: Usage = { entries: 0, bytes: 0 };
    for (const id of await applications.keptOfOwner(ownerId)) {
      const { entries, bytes } = await milestones.usage(id);
      usage.entries += entries;
      usage.bytes += bytes;
    }
    const name = (['entries', 'bytes'] as const).find((each) => usage[each] >= ofEntries[each]);
    if (name) reached.set(ownerId, name);
    else reached.delete(ownerId);
  }

  async function countAll(): Promise<void> {
    const owners = [...uploading];
    uploading.clear();
    for (const owner of owners) {
      try {
        await count(owner);
        hasFailed = false;
      } catch (error) {
        uploading.add(owner);
        log[hasFailed ? 'debug' : 'warn'](
          { event: 'quota.missed', reason: (error as Error).message },
          'entries cannot be counted: until they can, ENTRY_QUOTA and BYTE_QUOTA are as of before',
        );
        hasFailed = true;
      }
    }
  }

  function checkUpload(ownerId: string): void {
    uploading.add(ownerId);
    const name = reached.get(ownerId);
    if (name) throw quotaReached(name, ofEntries[name]);
  }

  return {
    /** Rejects with ApiError when the owner has reached the quota. */
    async check(name: Counted, ownerId: string): Promise<void> {
      const [limit, countOf] = counted[name];
      if ((await countOf(ownerId, limit)) >= limit) throw quotaReached(name, limit);
    },
    /** The same for ENTRY_QUOTA and BYTE_QUOTA. */
    async checkEntries(ownerId: string): Promise<void> {
      if (!isSet) return;
      await count(ownerId);
      checkUpload(ownerId);
    },
    /** The same for uploads, by the last count, so that no upload waits. Undefined without such a quota. Throws ApiError. */
    checkUpload: isSet ? checkUpload : undefined,
    close: isSet ? repeat(timings.quotaCountMs, countAll) : () => {},
  };
}
