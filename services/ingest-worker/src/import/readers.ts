import { createLoadIntake, type Intake } from '@sluice/intake/intake.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { ImportJob } from '@sluice/jobs/record/job-records.ts';
import type { Frame } from '@sluice/json/frames.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FieldStore } from '@sluice/store/applications/fields.ts';
import type { SchemaStore } from '@sluice/store/applications/schemas.ts';
import { createOncePerJob } from '../once-per-job.ts';
import { createReadLine, type ReadLine } from './read-line.ts';

interface Dependencies {
  fields: FieldStore;
  schemas: Pick<SchemaStore, 'of'>;
  compiler: Compiler;
}

export interface Reader {
  intake: Intake;
  readLine(frame: Frame): ReadLine;
}

/** Keeps the reader of an import from chunk to chunk. All lines have the schema that was in force when the job was created. */
export function createReaders(dependencies: Dependencies) {
  const loadIntake = createLoadIntake(dependencies);
  const oncePerJob = createOncePerJob<Reader>();

  async function load({ options, createdAt }: ImportJob, application: ApplicationRecord): Promise<Reader> {
    const { version = 1 } = options;
    const found = await dependencies.schemas.of(application, version);
    if (!found) throw new JobFailed(`version ${version} of the schema is missing`);
    const intake = await loadIntake({ ...application, version, rawSchema: found.rawSchema });
    return { intake, readLine: createReadLine(intake, parseSchema(found.rawSchema), options, createdAt) };
  }

  return (job: ImportJob, application: ApplicationRecord): Promise<Reader> =>
    oncePerJob(job.id, () => load(job, application));
}
