import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Access } from '@sluice/store/applications/applications.ts';
import type { Database } from '@sluice/store/connect.ts';
import type { LossKind } from '@sluice/store/refused/losses.ts';
import { newRefusedId } from '@sluice/store/refused/refused-records.ts';
import { LRUCache } from 'lru-cache';
import type { Intake } from '../intake.ts';
import { createCounts } from './counts.ts';
import {
  groupOf,
  groupOfLoss,
  keptLossBytes,
  type RefusedUpload,
  type ToldReason,
  toKept,
} from './refused-upload.ts';
import { createWaiting } from './waiting.ts';

/** Whoever follows refused uploads sees them within two seconds. */
const flushEveryMs = 500;
/** Limit on the waiting records, and as much again on records being stored. */
const mostBytes = 8 * 1024 ** 2;

/** A token bucket for each application: uploads that are kept at once, and then each second. */
const burst = 500;
const perSecond = 50;
/** A larger record counts as several. */
const usualBytes = 4 * 1024;
const applications = 5_000;

export type RefusingApplication = Pick<Intake, 'id' | 'owner' | 'version'> & Pick<Access, 'refused'>;

export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/**
 * Keeps refused uploads for the owner, and counts all of them.
 *
 * They wait in memory and are stored twice a second, so that a refusal takes no time.
 */
export function createRefusalRecorder(
  { refused, refusalCounts }: Pick<Database, 'refused' | 'refusalCounts'>,
  log: Pick<Logger, 'debug'>,
  metrics?: Pick<Metrics, 'count'>,
) {
  const counts = createCounts();
  const bucketOf = createBuckets();
  const waiting = createWaiting(mostBytes);

  function count(application: RefusingApplication, reason: ToldReason, times: number): void {
    counts.add(application, reason, new Date(), { times });
  }

  function note(application: RefusingApplication, upload: RefusedUpload): void {
    const reason = groupOf(upload);
    if (!reason) return;
    const at = new Date();
    keep(application, upload, at, counts.add(application, reason, at, upload));
  }

  function noteLoss(
    application: RefusingApplication,
    kind: LossKind,
    { key, upload }: { key?: string | undefined; upload?: RefusedUpload | undefined } = {},
  ): void {
    const at = new Date();
    counts.addLoss(application, kind, at, key);
    metrics?.count('sluice_uploads_lost_total', { kind })();
    const group = groupOfLoss(kind);
    if (upload && group) keep(application, upload, at, group, keptLossBytes);
  }

  function keep(
    { id, owner, version, refused }: RefusingApplication,
    upload: RefusedUpload,
    at: Date,
    { message: _, ...group }: ToldReason,
    mostBytes?: number,
  ): void {
    const bucket = refused.keep ? bucketOf(id) : undefined;
    if (!bucket || bucket.tokens < 1) return;
    const record = {
      ...toKept(upload, mostBytes),
      id: newRefusedId(),
      application: id,
      at,
      version,
      ...group,
    };
    bucket.tokens -= Math.max(1, record.size / usualBytes);
    waiting.add(owner, record);
  }

  async function flush(): Promise<void> {
    // More may be added while these are stored. The counts are copied now, so that none is stored before its upload.
    const { records, putBack } = waiting.take();
    const counted = counts.changed();
    try {
      if (records.length > 0) await refused.keep(records);
    } catch (error) {
      putBack();
      throw error;
    }
    await counts.store(counted, refusalCounts.write);
  }

  let flushing = Promise.resolve();
  /** Flushes one after the other. A failed flush keeps its records for the next. */
  function flushNext(): Promise<void> {
    flushing = flushing
      .then(flush)
      .catch((error: Error) => log.debug({ event: 'refusals.unwritten', reason: error.message }));
    return flushing;
  }
  const stop = repeat(flushEveryMs, flushNext);

  return {
    /** Counts an upload, and keeps it if there are not too many. */
    note,

    /** Counts an upload that is lost before validation. `key`: id of its ingest key. `upload`: the part to keep. */
    noteLoss,

    count,

    /** Stores the waiting records. */
    async close(): Promise<void> {
      stop();
      await flushNext();
    },
  };
}

/** Selects the refused uploads that are kept: those for which a bucket has tokens. In normal use these are all. */
function createBuckets() {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: applications });

  return (application: string) => {
    const now = performance.now();
    const bucket = buckets.get(application) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    buckets.set(application, bucket);
    return bucket;
  };
}
