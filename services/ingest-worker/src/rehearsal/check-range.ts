import { setImmediate as breathe } from 'node:timers/promises';
import { toJson } from '@sluice/json/numbers.ts';
import type { Issue } from '@sluice/schemas/validate/issue.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { idOf, timeOf } from '@sluice/store/entries/raw-document.ts';
import type { RawEntries } from '@sluice/store/entries/raw-entries.ts';
import { readPayloadOf } from '@sluice/store/entries/read-document.ts';
import type { ClaimedRange } from '@sluice/store/jobs/chunk-records.ts';
import type { RehearsalJob } from '@sluice/store/jobs/job-records.ts';
import type { Done, Steps } from '../chunks/do-chunks.ts';
import { createReport, shown } from '../chunks/report.ts';
import { createGroups } from './groups.ts';
import { readRange } from './read-range.ts';

/** After so long other work of the process goes on. */
const stepMs = 5;
const exampleBytes = 1_024;
const message = 'the payload does not conform to the proposed schema';

interface Task {
  chunk: ClaimedRange;
  job: RehearsalJob;
  validator: Validator;
}

/** Validates the entries of a range; changes nothing. */
export async function checkRange(
  entries: RawEntries,
  { chunk, job, validator }: Task,
  { onStep }: Steps,
): Promise<Done> {
  const report = createReport();
  const groups = createGroups();
  let lines = 0;
  let began = performance.now();

  async function note(document: Buffer, payload: Record<string, unknown>, first: Issue[]): Promise<void> {
    const details = await validator.explain(payload, first);
    const source = { bytes: Buffer.from(toJson(payload)), as: 'json' } as const;
    const head = { id: idOf(document), createdAt: new Date(timeOf(document)).toISOString() };
    report.add(lines, { name: 'SchemaValidationError', message, details }, source, head);
    const { path, keyword } = details[0] as Issue;
    groups.add({ path, keyword, count: 1, example: shown(source, exampleBytes) });
  }

  for await (const documents of readRange(entries, job, chunk.range))
    for (const document of documents) {
      const payload = readPayloadOf(document);
      const issues = validator.validate(payload);
      if (issues) await note(document, payload, issues);
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
}
