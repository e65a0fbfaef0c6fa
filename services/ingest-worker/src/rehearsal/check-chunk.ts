import { setImmediate as breathe } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Done, Steps } from '@sluice/jobs/in-chunks.ts';
import type { ClaimedRange } from '@sluice/jobs/record/chunk-records.ts';
import type { RehearsalJob } from '@sluice/jobs/record/chunked-records.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { createReport, shown } from '../report.ts';
import { checkEntry, checkRefused, type Nonconforming } from './checks.ts';
import { createGroups } from './groups.ts';
import { readRange } from './read-range.ts';

/** After so long other work of the process goes on. */
const stepMs = 5;
const exampleBytes = 1_024;

interface Task {
  chunk: ClaimedRange;
  job: RehearsalJob;
  validator: Validator;
}

type Check = () => Nonconforming | undefined;

/** Validates entries, or refused uploads; changes nothing. */
export function createCheckChunk({ rawEntries, refused }: Pick<Store, 'rawEntries' | 'refused'>) {
  /** What is to be checked, in pages: to wait for each would cost as much as its schema. */
  async function* checksOf({ chunk, job, validator }: Task): AsyncGenerator<Check[]> {
    const { application, options } = job;
    if (chunk.range)
      for await (const documents of readRange(rawEntries, job, chunk.range))
        yield documents.map((document) => () => checkEntry(validator, document));
    else
      for await (const record of refused.all(application, options))
        if (!record.truncated) yield [() => checkRefused(validator, record)];
  }

  return async (task: Task, { onStep }: Steps): Promise<Done> => {
    const report = createReport();
    const groups = createGroups();
    let lines = 0;
    let began = performance.now();

    async function note({ explain, json, head }: Nonconforming): Promise<void> {
      const refusal = await explain();
      const source = { bytes: json, as: 'json' } as const;
      report.add(lines, refusal, source, head);
      const { path = '', keyword = 'other' } = refusal.details?.[0] ?? {};
      groups.add({ path, keyword, count: 1, example: shown(source, exampleBytes) });
    }

    for await (const checks of checksOf(task))
      for (const check of checks) {
        const found = check();
        if (found) await note(found);
        lines += 1;
        if (performance.now() - began < stepMs) continue;
        onStep(lines);
        await breathe();
        began = performance.now();
      }
    const rejected = report.rows();
    return {
      ...{ lines, accepted: lines - rejected, rejected },
      groups: groups.list(),
      report: await report.finish(),
    };
  };
}
