import { createRecordFields } from '@sluice/intake/record-fields.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { LeaseLost } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { ClaimedChunk } from '@sluice/store/jobs/chunk-records.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import { Conflict } from '../chunks/conflict.ts';
import type { ChunkTask } from '../chunks/do-chunks.ts';
import { createProcessChunk } from './process-chunk.ts';
import { createReaders } from './readers.ts';

interface Dependencies {
  store: Store;
  compiler: Compiler;
  log: Logger;
}

/** Stores the lines of imports. */
export function createImportTask({ store, compiler, log }: Dependencies): ChunkTask<ImportJob, ClaimedChunk> {
  const { chunks, entries, jobs, fields, parts, schemas } = store;
  const readerOf = createReaders({ fields, schemas, compiler });
  const processChunk = createProcessChunk({ entries, recordFields: createRecordFields(fields), log });

  return {
    kind: 'import',
    claim: chunks.claim,

    async prepare(chunk, job, application) {
      const [reader, data] = await Promise.all([readerOf(job, application), parts.get(chunk.part)]);
      if (data) return (steps) => processChunk({ chunk, data, ...reader, ...steps });
      if ((await jobs.chunked.over([job.id])).length > 0) throw new LeaseLost();
      throw new Conflict(`a piece of the file is missing, that of chunk ${chunk.seq}`);
    },

    async settle({ part, bytes }) {
      await parts.remove(part);
      return bytes;
    },

    async result({ id, total }) {
      const { accepted, rejected } = await chunks.totals(id);
      return { accepted, rejected, done: total, total, held: 0 };
    },
  };
}
