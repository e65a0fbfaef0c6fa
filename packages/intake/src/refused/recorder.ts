import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Access } from '@sluice/store/applications/applications.ts';
import type { Database } from '@sluice/store/connect.ts';
import { newRefusedId, type RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import { LRUCache } from 'lru-cache';
import type { Intake } from '../intake.ts';
import { createCounts } from './counts.ts';
import { type RefusedUpload, reasonOf, type ToldReason, toKept } from './refused-upload.ts';

/** Whoever follows refused uploads sees them within two seconds. */
const flushEveryMs = 500;
/** Limit of the records that wait to be stored. Further uploads are only counted. */
const mostBytes = 8 * 1024 ** 2;
/** Bytes of a record besides payload and details. */
const overhead = 512;

/** A token bucket for each application: uploads that are kept at once, and then each second. */
const burst = 500;
const perSecond = 50;
/** A larger payload counts as several. */
const usualBytes = 4 * 1024;
const applications = 5_000;

export type RefusingApplication = Pick<Intake, 'id' | 'version'> & Pick<Access, 'refused'>;

export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/**
 * Keeps refused uploads for the owner, and counts all of them.
 *
 * They wait in memory and are stored twice a second, so that a refusal takes no time.
 */
export function createRefusalRecorder(
  { refused, refusalCounts }: Pick<Database, 'refused' | 'refusalCounts'>,
  log: Pick<Logger, 'warn' | 'debug'>,
) {
  const counts = createCounts();
  const isKept = createSampling();
  let waiting: RefusedRecord[] = [];
  let bytes = 0;

  const count = ({ id }: RefusingApplication, reason: ToldReason, times: number) =>
    counts.add(id, reason, new Date(), times);

  function note(application: RefusingApplication, upload: RefusedUpload): void {
    const reason = reasonOf(upload.refusal);
    if (!reason) return;
    const {
      id,
      version,
      refused: { keep },
    } = application;
    const at = new Date();
    counts.add(id, reason, at);
    if (!keep || bytes >= mostBytes || !isKept(id, upload.payload.length)) return;
    const { message: _, ...group } = reason;
    const record = {
      ...toKept(upload),
      ...{ id: newRefusedId(), application: id, at, version, ...group },
    };
    waiting.push(record);
    bytes += record.size + overhead;
  }

  async function flush(): Promise<void> {
    // More may be added while the copies are stored. The counts are copied now, so that none is stored before its upload.
    const batch = [...waiting];
    const counted = counts.changed();
    const batchBytes = bytes;
    if (batch.length > 0) {
      await refused.keep(batch);
      waiting = waiting.slice(batch.length);
      bytes -= batchBytes;
    }
    await counts.store(counted, refusalCounts.write);
    const uncounted = counts.takeUncounted();
    if (uncounted > 0) log.warn({ event: 'refusals.uncounted', uncounted });
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

    /** Counts uploads that are not kept. */
    count,

    /** Stores the waiting records. */
    async close(): Promise<void> {
      stop();
      await flushNext();
    },
  };
}

/** Selects the refused uploads that are kept. In normal use these are all. */
function createSampling() {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: applications });

  return (application: string, bytes: number): boolean => {
    const now = performance.now();
    const bucket = buckets.get(application) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000);
    bucket.at = now;
    buckets.set(application, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= Math.max(1, bytes / usualBytes);
    return true;
  };
}
