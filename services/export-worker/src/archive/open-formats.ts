import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchiveJob, ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import type { ExportShape } from '@sluice/jobs/record/export-record.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { type Meta, metaNames } from '@sluice/tables/columns.ts';
import { createFormat, type KnownColumns, knownColumns } from '../export/open-format.ts';
import { createSenderNames } from '../export/sender-names.ts';
import type { FileFormat } from '../formats/format.ts';
import { surveyKinds } from '../formats/parquet/file-columns.ts';
import { startOf } from './plan-run.ts';
import { type ReadPages, readRun } from './read-run.ts';

type Stores = Pick<Store, 'applications' | 'fields' | 'jobs' | 'schemas' | 'senders'>;

/** Every row says which entry it is. */
const always: Meta[] = ['id', 'schema_version'];

interface Reading {
  archive: Pick<ArchiveRecord, 'format' | 'meta' | 'asked'>;
  read: ReadPages;
  /** False: the lease is lost. */
  keepShape(shape: ExportShape): Promise<boolean>;
  turn: Pick<Turn, 'check'>;
}

/** How the files of a run are written: all with the same columns. */
export async function openFormats(
  store: Stores,
  job: Pick<ArchiveJob, 'application' | 'createdAt' | 'shape'>,
  plan: ArchivePlan,
  { archive, read, keepShape, turn }: Reading,
): Promise<{ newFormat(): Promise<FileFormat>; learn(documents: Buffer[]): Promise<void> }> {
  const application = await store.applications.byId(job.application);
  if (!application) throw new ApplicationDeleted();
  const meta = metaNames.filter((name) => always.includes(name) || archive.meta?.includes(name));
  const source = {
    ...plan,
    createdAt: job.createdAt,
    inLake: true,
    options: { format: archive.format, formulas: 'raw', arrays: 'json', meta } as const,
  };
  const known = await knownColumns(store, application, source, archive.asked !== undefined);
  let { shape } = job;
  if (!shape && archive.format === 'parquet') {
    shape = await survey(plan, known, read, turn);
    if (shape && !(await keepShape(shape))) throw new LeaseLost();
  }
  const { textOf, learn } = createSenderNames(store.senders, job.application, meta);
  return {
    learn,
    newFormat: () =>
      createFormat({
        job: source,
        known,
        shape,
        withOrigin: true,
        senderText: textOf,
        notes: async () => [],
      }),
  };
}

/** Reads the run's entries for the types of columns that the schemas do not determine. Later workers write the same columns. */
async function survey(
  plan: ArchivePlan,
  known: KnownColumns,
  read: ReadPages,
  { check }: Pick<Turn, 'check'>,
): Promise<ExportShape | undefined> {
  const kinds = surveyKinds(known, plan.hasLarge !== false);
  if (!kinds) return undefined;
  const where = { after: startOf(plan), members: kinds.members };
  for await (const documents of readRun(read, plan, where)) {
    check();
    for (const document of documents) kinds.add(document);
  }
  return { tables: [], kinds: kinds.kinds() };
}
