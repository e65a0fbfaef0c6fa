import type { Store } from '@sluice/jobs/connect.ts';
import { type ChunkTask, inChunks } from '@sluice/jobs/in-chunks.ts';
import { JobFailed, type JobKind } from '@sluice/jobs/kind.ts';
import type { ClaimedRange } from '@sluice/jobs/record/chunk-records.ts';
import type { RehearsalJob } from '@sluice/jobs/record/chunked-records.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { createOncePerJob } from '../once-per-job.ts';
import { createCheckChunk } from './check-chunk.ts';
import { createGroups } from './groups.ts';

interface Dependencies {
  store: Pick<Store, 'applications' | 'chunks' | 'jobs' | 'parts' | 'rawEntries' | 'refused'>;
  compiler: Compiler;
  leaseMs: number;
}

/** Validates what is stored with a proposed schema. */
export function rehearsalKind({ store, compiler, leaseMs }: Dependencies): JobKind<RehearsalJob> {
  const { chunks } = store;
  const oncePerJob = createOncePerJob<Validator>();
  const checkChunk = createCheckChunk(store);

  async function compile({ owner, options }: RehearsalJob): Promise<Validator> {
    const compiled = await compiler.compile(options.rawSchema, { client: owner });
    // It compiled when it was proposed: what fails now is time or memory.
    if (!compiled.ok) throw new JobFailed(`the schema cannot be compiled now: ${compiled.problem}`);
    return compiled.validator;
  }

  const task: ChunkTask<RehearsalJob, ClaimedRange> = {
    kind: 'rehearsal',
    claim: chunks.claimRange,

    async prepare(chunk, job) {
      const validator = await oncePerJob(job.id, () => compile(job));
      return (steps) => checkChunk({ chunk, job, validator }, steps);
    },

    async result({ id }) {
      const { accepted, rejected } = await chunks.totals(id);
      const groups = createGroups();
      for await (const group of chunks.groups(id)) groups.add(group);
      const checked = accepted + rejected;
      const result = { checked, conforming: accepted, groups: groups.list() };
      return { accepted, rejected, done: checked, total: checked, result };
    },
  };
  return inChunks(store, leaseMs, task);
}
