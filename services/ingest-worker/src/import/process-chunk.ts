import { setImmediate as breathe } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Intake, RecordFields } from '@sluice/intake/intake.ts';
import { type FailedLine, type Judged, type Refusal, refuse } from '@sluice/intake/line.ts';
import { defect, fateOf, toLineRefusal } from '@sluice/intake/line-errors.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import { type Frame, framesOf } from '@sluice/json/frames.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { EntryStore } from '@sluice/store/entries/entries.ts';
import type { Done, Steps } from '../chunks/in-chunks.ts';
import { createReport } from '../report.ts';
import { createRefusedLines, type RefusedLines } from './refused-lines.ts';
import { createStoreLines } from './store-lines.ts';

const unzip = promisify(zstdDecompress);
/** Large enough to decompress most chunks in one piece. */
const pieceBytes = 4.5 * 1024 ** 2;
/** Other work of the process runs after this time. */
const stepMs = 5;
const untaken: Refusal = { name: 'PayloadTooLargeError', message: 'the database did not take the entry' };

interface Dependencies {
  entries: Pick<EntryStore, 'insertKeyed' | 'hasKeyed'>;
  recordFields: RecordFields;
  log: Pick<Logger, 'error'>;
}

interface Task extends Steps {
  chunk: ClaimedChunk;
  /** The compressed lines. */
  data: Buffer;
  /** See `KeyedEntry`. */
  by: number;
  intake: Intake;
  readLine(frame: Frame): Judged;
  makeRoom(since: number): Promise<number>;
}

export interface Processed extends Omit<Done, 'afterCommit'> {
  refused: RefusedLines;
}

/** Reads, validates and stores the lines of a chunk. When it rejects, all its commands have ended. */
export function createProcessChunk({ entries, recordFields, log }: Dependencies) {
  return async ({ chunk, data, by, intake, readLine, check, makeRoom, onStep }: Task): Promise<Processed> => {
    const report = createReport();
    const refused = createRefusedLines();
    const storing = createStoreLines({
      entries,
      recordFields,
      chunk,
      by,
      intake,
      check,
      makeRoom,
      onRefused: (frame) => report.add(frame.line, untaken, { bytes: frame.bytes, as: 'json' }),
      onDuplicate,
    });

    function onDuplicate({ line }: Frame, payload: Buffer): void {
      const { refusal } = fateOf('duplicate', intake.unique) as FailedLine;
      report.add(line, refusal, { bytes: payload, as: 'json' });
      refused.add({ source: 'import', reason: 'duplicate', line, refusal, payload });
    }

    /** All that was refused so far is in the report. */
    let noted = Promise.resolve();

    /** Usually undefined: an await per line would cost as much as its validation. */
    function take(frame: Frame): Promise<void> | undefined {
      const fate = readOr(frame);
      if (fate.kind === 'accepted') return storing.add(frame, fate);
      // The explainer answers many lines at once.
      const explaining = fate.explain();
      noted = noted.then(async () => note(frame, await explaining, fate.payload));
      return undefined;
    }

    function note({ line, bytes }: Frame, refusal: Refusal, payload: Buffer | undefined): void {
      report.add(line, refusal, payload ? { bytes: payload, as: 'json' } : { bytes, as: 'text' });
      if (payload) refused.add({ source: 'import', line, refusal: toLineRefusal(refusal, true), payload });
    }

    /** A fault in one line does not stop the others. */
    function readOr(frame: Frame): Judged {
      try {
        return readLine(frame);
      } catch (error) {
        log.error({ event: 'line.defect', job: chunk.job, line: frame.line, err: error });
        return refuse(defect, frame.bytes);
      }
    }

    let lines = 0;
    let began = performance.now();
    try {
      for (const frame of framesOf(await unzip(data, { chunkSize: pieceBytes }))) {
        const taking = take(frame);
        if (taking) await taking;
        lines += 1;
        if (performance.now() - began < stepMs) continue;
        onStep(lines);
        await Promise.all([breathe(), noted]);
        began = performance.now();
      }
      await noted;
      const { accepted, repeated } = await storing.finish();
      const rejected = report.rows();
      return { lines, accepted, repeated, rejected, report: await report.finish(), refused };
    } catch (error) {
      await storing.settled();
      throw error;
    }
  };
}
