import type { Store } from '@sluice/jobs/connect.ts';
import type { ClaimedRange } from '@sluice/jobs/record/chunk-records.ts';
import type { RehearsalJob } from '@sluice/jobs/record/chunked-records.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { Conflict } from '../chunks/conflict.ts';
import type { ChunkTask } from '../chunks/do-chunks.ts';
import { createOncePerJob } from '../chunks/once-per-job.ts';
import { createCheckChunk } from './check-chunk.ts';
import { createGroups } from './groups.ts';

interface Dependencies {
  store: Pick<Store, 'chunks' | 'rawEntries' | 'refused'>;
  compiler: Compiler;
}

/** Validates what is stored with a proposed schema. */
export function createRehearsalTask({
  store,
  compiler,
}: Dependencies): ChunkTask<RehearsalJob, ClaimedRange> {
  const { chunks } = store;
  const oncePerJob = createOncePerJob<Validator>();
  const checkChunk = createCheckChunk(store);

  async function compile({ owner, options }: RehearsalJob): Promise<Validator> {
    const compiled = await compiler.compile(options.rawSchema, { client: owner });
    // It compiled when it was proposed: what fails now is time or memory.
    if (!compiled.ok) throw new Conflict(`the schema cannot be compiled now: ${compiled.problem}`);
    return compiled.validator;
  }

  return {
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
}
