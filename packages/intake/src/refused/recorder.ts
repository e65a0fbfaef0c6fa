import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Access } from '@sluice/store/applications/applications.ts';
import type { Database } from '@sluice/store/connect.ts';
import { newRefusedId, type RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { Intake } from '../intake.ts';
import { createCounts } from './counts.ts';
import { type RefusedUpload, reasonOf, type ToldReason, toKept } from './refused-upload.ts';
import { createSampling } from './sampling.ts';

const flushEveryMs = 1_000;
/** Of what waits to be stored. Beyond that uploads are only counted. */
const mostBytes = 8 * 1024 ** 2;
/** What each takes besides its payload and its details. */
const overhead = 512;

export type RefusingApplication = Pick<Intake, 'id' | 'version'> & Pick<Access, 'refused'>;

export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/**
 * Keeps refused uploads for the owner, and counts all of them. They wait in memory and are stored once a second: whoever refuses an
 * upload waits for nothing.
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
    const { path, keyword } = reason;
    const record = {
      ...toKept(upload),
      ...{ id: newRefusedId(), application: id, at, version, path, keyword },
    };
    waiting.push(record);
    bytes += record.size + overhead;
  }

  async function flush(): Promise<void> {
    // A copy: more may come meanwhile.
    const batch = [...waiting];
    const batchBytes = bytes;
    if (batch.length > 0) {
      await refused.keep(batch);
      waiting = waiting.slice(batch.length);
      bytes -= batchBytes;
    }
    await counts.store(refusalCounts.write);
    const uncounted = counts.takeUncounted();
    if (uncounted > 0) log.warn({ event: 'refusals.uncounted', uncounted });
  }

  let flushing = Promise.resolve();
  /** One after the other. What cannot be stored now stays. */
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

    /** Stores what waits. */
    async close(): Promise<void> {
      stop();
      await flushNext();
    },
  };
}
