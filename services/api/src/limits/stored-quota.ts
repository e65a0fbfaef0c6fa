import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';
import type { MilestoneStore } from '@sluice/shared/store/milestones.ts';
import { quotaReached } from './answers.ts';

const lookEveryMs = 5_000;

interface Dependencies {
  applications: Pick<ApplicationStore, 'idsOfOwner'>;
  milestones: Pick<MilestoneStore, 'usage'>;
  entryQuota: number | undefined;
  byteQuota: number | undefined;
  log: Logger;
}

/** What all entries of an owner may be together. */
export interface StoredQuota {
  /** For uploads: waits for nothing, as of the last look. Throws ApiError when the owner has as much as there may be. */
  refuse(ownerId: string): void;
  /** The same, after a look. */
  lookAndRefuse(ownerId: string): Promise<void>;
  close(): void;
}

/**
 * Owners who upload are looked at in MongoDB every few seconds, beside their uploads; so a quota can be passed by what
 * comes in that time. Undefined where there is no such quota.
 */
export function createStoredQuota({
  applications,
  milestones,
  entryQuota = Number.POSITIVE_INFINITY,
  byteQuota = Number.POSITIVE_INFINITY,
  log,
}: Dependencies): StoredQuota | undefined {
  if (entryQuota === Number.POSITIVE_INFINITY && byteQuota === Number.POSITIVE_INFINITY) return undefined;
  /** Owner → what is said to uploads. */
  const over = new Map<string, string>();
  const uploading = new Set<string>();
  /** It is said once, and then when it happens again. */
  let isMissing = false;

  async function look(ownerId: string): Promise<void> {
    let [entries, bytes] = [0, 0];
    for (const id of await applications.idsOfOwner(ownerId)) {
      const usage = await milestones.usage(id);
      entries += usage.entries;
      bytes += usage.bytes;
    }
    if (entries >= entryQuota) over.set(ownerId, `${entryQuota} entries (ENTRY_QUOTA)`);
    else if (bytes >= byteQuota) over.set(ownerId, `${byteQuota} bytes of entries (BYTE_QUOTA)`);
    else over.delete(ownerId);
  }

  async function lookAtAll(): Promise<void> {
    const owners = [...uploading];
    uploading.clear();
    for (const owner of owners) {
      try {
        await look(owner);
        isMissing = false;
      } catch (error) {
        uploading.add(owner);
        log[isMissing ? 'debug' : 'warn'](
          { event: 'quota.missed', reason: (error as Error).message },
          'what owners store cannot be counted: until it can, ENTRY_QUOTA and BYTE_QUOTA are as of before',
        );
        isMissing = true;
      }
    }
  }

  function refuse(ownerId: string): void {
    uploading.add(ownerId);
    const quota = over.get(ownerId);
    if (quota === undefined) return;
    throw quotaReached(
      `the applications of this owner hold ${quota}, and there may be no more; deleting an application makes room; nothing was stored`,
    );
  }

  return {
    refuse,
    async lookAndRefuse(ownerId) {
      await look(ownerId);
      refuse(ownerId);
    },
    close: repeat(lookEveryMs, lookAtAll),
  };
}
