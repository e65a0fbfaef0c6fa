import { createLoadIntake, createRecordFields, type Intake } from '@sluice/intake/intake.ts';
import type { Judged } from '@sluice/intake/line.ts';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed, type JobKind } from '@sluice/jobs/kind.ts';
import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import type { ImportJob } from '@sluice/jobs/record/job-records.ts';
import type { Frame } from '@sluice/json/frames.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { type ChunkTask, inChunks } from '../chunks/in-chunks.ts';
import { countStored } from './count-stored.ts';
import { createProcessChunk } from './process-chunk.ts';
import { createReadLine } from './read-line.ts';

interface Dependencies {
  store: Store;
  compiler: Compiler;
  explainer: Explainer;
  refusalRecorder: RefusalRecorder;
  leaseMs: number;
  log: Logger;
}

interface Reader {
  intake: Intake;
  readLine(frame: Frame): Judged;
  by: number;
}

/** Stores the lines of imports. */
export function importKind(dependencies: Dependencies): JobKind<ImportJob> {
  const { store, compiler, explainer, refusalRecorder, leaseMs, log } = dependencies;
  const { chunks, entries, horizon, milestones, jobs, fields, parts, schemas, senders } = store;
  const loadIntake = createLoadIntake({ fields, compiler, explainer });
  const recordFields = createRecordFields(fields);
  const processChunk = createProcessChunk({ entries, recordFields, log });

  /** Removes milestones above the new entries, and prevents new ones until the chunk is done. Returns the version that announces the entries. */
  const makeRoom = (chunk: ClaimedChunk, since: number): Promise<number> =>
    milestones.removeFrom(chunk.application, since, async (session, version) => {
      if (!(await horizon.lower(session, chunk, since, version))) throw new LeaseLost();
    });

  const task: ChunkTask<ImportJob, ClaimedChunk, Reader> = {
    kind: 'import',
    claim: chunks.claim,

    /** All lines use the schema that was in force when the job was made. */
    async load({ id, options, createdAt }, application) {
      const { version = 1 } = options;
      const found = await schemas.of(application, version);
      if (!found) throw new JobFailed(`version ${version} of the schema is missing`);
      const intake = await loadIntake({ ...application, version, rawSchema: found.rawSchema });
      const schema = parseSchema(found.rawSchema);
      return {
        intake,
        by: await senders.numberOf(application.id, { source: 'import', job: id }),
        readLine: createReadLine({ intake, recordFields, schema, options, madeAt: createdAt }),
      };
    },

    async process(chunk, { job, application, loaded }, steps) {
      const data = await parts.get(chunk.part);
      if (!data) {
        if ((await jobs.chunked.over([job.id])).length > 0) throw new LeaseLost();
        throw new JobFailed(`a piece of the file is missing, that of chunk ${chunk.seq}`);
      }
      // As it is now: the intake is that of the whole job.
      loaded.intake.unique = application.unique;
      const { refused, ...done } = await processChunk({
        chunk,
        data,
        ...loaded,
        ...steps,
        makeRoom: (since) => makeRoom(chunk, since),
      });
      const afterCommit = async () => {
        refused.noteTo(refusalRecorder, { ...loaded.intake, refused: application.refused });
        await parts.remove(chunk.part);
        return chunk.bytes;
      };
      return { ...done, afterCommit };
    },

    async countStored(chunk, { loaded }, steps) {
      const data = await parts.get(chunk.part);
      return data ? countStored(entries, { chunk, data, ...loaded, ...steps }) : 0;
    },

    async result({ id, total }) {
      const { accepted, repeated, rejected } = await chunks.totals(id);
      return { accepted, repeated, rejected, done: total, total, held: 0 };
    },
  };
  return inChunks(store, leaseMs, task);
}
