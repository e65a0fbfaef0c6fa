import { createLoadIntake, type Intake } from '@sluice/intake/intake.ts';
import type { Frame } from '@sluice/json/frames.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { LeafStore } from '@sluice/store/applications/leaves.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import { createReadLine, type ReadLine } from './read-line.ts';

const most = 20;

export interface Reader {
  intake: Intake;
  readLine(frame: Frame): ReadLine;
}

/** What it takes to read the lines of an import, kept from chunk to chunk: the schema of an application never changes. */
export function createReaders(dependencies: { leaves: LeafStore; compiler: Compiler }) {
  const loadIntake = createLoadIntake(dependencies);
  const intakes = new Map<string, Promise<Intake>>();
  const readers = new Map<string, Promise<Reader>>();

  /** One that fails is not kept. */
  function keep<T>(kept: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
    const known = kept.get(key);
    if (known) return known;
    const loading = load();
    loading.catch(() => kept.delete(key));
    kept.set(key, loading);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return loading;
  }

  return (job: ImportJob, application: ApplicationRecord): Promise<Reader> =>
    keep(readers, job.id, async () => {
      const intake = await keep(intakes, application.id, () => loadIntake(application));
      return { intake, readLine: createReadLine(intake, parseSchema(application.rawSchema), job.options) };
    });
}
