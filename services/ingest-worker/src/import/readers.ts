import { createLoadIntake, type Intake } from '@sluice/intake/intake.ts';
import type { Frame } from '@sluice/json/frames.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FieldStore } from '@sluice/store/applications/fields.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import { createReadLine, type ReadLine } from './read-line.ts';

const most = 20;

export interface Reader {
  intake: Intake;
  readLine(frame: Frame): ReadLine;
}

/** What it takes to read the lines of an import, kept from chunk to chunk: the schema of an application never changes. */
export function createReaders(dependencies: { fields: FieldStore; compiler: Compiler }) {
  const loadIntake = createLoadIntake(dependencies);
  const readers = new Map<string, Promise<Reader>>();

  async function load({ options }: ImportJob, application: ApplicationRecord): Promise<Reader> {
    const intake = await loadIntake(application);
    return { intake, readLine: createReadLine(intake, parseSchema(application.rawSchema), options) };
  }

  return (job: ImportJob, application: ApplicationRecord): Promise<Reader> => {
    const known = readers.get(job.id);
    if (known) return known;
    const reader = load(job, application);
    // One that fails is not kept.
    reader.catch(() => readers.delete(job.id));
    readers.set(job.id, reader);
    const [oldest] = readers.keys();
    if (readers.size > most && oldest !== undefined) readers.delete(oldest);
    return reader;
  };
}
