import { createRecordFields } from '@sluice/intake/intake.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { type ChunkTask, inChunks } from '@sluice/jobs/in-chunks.ts';
import { JobFailed, type JobKind } from '@sluice/jobs/kind.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import type { ImportJob } from '@sluice/jobs/record/job-records.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { createProcessChunk } from './process-chunk.ts';
import { createReaders } from './readers.ts';

interface Dependencies {
  store: Store;
  compiler: Compiler;
  refusalRecorder: RefusalRecorder;
  leaseMs: number;
  log: Logger;
}

/** Stores the lines of imports. */
export function importKind({
  store,
  compiler,
  refusalRecorder,
  leaseMs,
  log,
}: Dependencies): JobKind<ImportJob> {
  const { chunks, entries, milestones, jobs, fields, parts, schemas } = store;
  const readerOf = createReaders({ fields, schemas, compiler });
  const processChunk = createProcessChunk({ entries, recordFields: createRecordFields(fields), log });

  /** Milestones that are above entries to be stored go, and none is set there until the chunk is done. In this order. */
  async function makeRoom({ id, fence, application }: ClaimedChunk, since: number): Promise<void> {
    if (!(await chunks.lower(id, fence, since))) throw new LeaseLost();
    await milestones.removeFrom(application, since);
  }

  const task: ChunkTask<ImportJob, ClaimedChunk> = {
    kind: 'import',
    claim: chunks.claim,

    async prepare(chunk, job, application) {
      const [reader, data] = await Promise.all([readerOf(job, application), parts.get(chunk.part)]);
      if (!data) {
        if ((await jobs.chunked.over([job.id])).length > 0) throw new LeaseLost();
        throw new JobFailed(`a piece of the file is missing, that of chunk ${chunk.seq}`);
      }
      return async (steps) => {
        const { refused, ...done } = await processChunk({
          ...{ chunk, data, ...reader, ...steps },
          makeRoom: (since) => makeRoom(chunk, since),
        });
        const afterCommit = async () => {
          refused.noteTo(refusalRecorder, { ...reader.intake, refused: application.refused });
          await parts.remove(chunk.part);
          return chunk.bytes;
        };
        return { ...done, afterCommit };
      };
    },

    async result({ id, total }) {
      const { accepted, rejected } = await chunks.totals(id);
      return { accepted, rejected, done: total, total, held: 0 };
    },
  };
  return inChunks(store, leaseMs, task);
}
