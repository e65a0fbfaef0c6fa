import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob, ExportOptions, ExportShape } from '@sluice/jobs/record/export-record.ts';
import { parseSchema, type Schema } from '@sluice/schemas/schema.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import { createCsv } from '../formats/csv.ts';
import type { FileFormat, SenderText } from '../formats/format.ts';
import { createNdjson } from '../formats/ndjson.ts';
import { createTablesZip } from '../formats/zip/tables-zip.ts';

/** The columns of an export, before its entries are read. */
export interface KnownColumns {
  /** The versions of the schema that validated the entries, oldest first. */
  schemas: [Schema, ...Schema[]];
  columns: Column[];
  /** Of Parquet: see there. */
  inLake?: boolean | undefined;
}

/** A job always gets the same columns, whatever is published later. */
export async function knownColumns(
  { fields, schemas }: Pick<Store, 'fields' | 'schemas'>,
  application: ApplicationRecord,
  {
    version,
    leafCount,
    hasRest,
    inLake,
    options: { meta },
  }: Pick<ExportJob, 'version' | 'leafCount' | 'hasRest'> & {
    inLake?: boolean;
    options: Pick<ExportOptions, 'meta'>;
  },
  hasPayload = false,
): Promise<KnownColumns> {
  const versions: Schema[] = [];
  for await (const found of schemas.list(application))
    if (found.version <= version) versions.unshift(parseSchema(found.rawSchema));
  const { pointers } = await fields.of(application.id);
  const [first] = versions as [Schema];
  return {
    schemas: versions as KnownColumns['schemas'],
    columns: columnsOf(first, pointers.slice(0, leafCount), { hasRest, hasPayload, meta, inLake }),
    inLake,
  };
}

interface ColumnSource {
  job: Pick<ExportJob, 'version' | 'createdAt' | 'options'>;
  known: KnownColumns;
  /** Absent: all columns are known. */
  shape: ExportShape | undefined;
  /** Of NDJSON: see there. */
  withOrigin?: boolean | undefined;
  senderText: SenderText;
  /** The notes of all pieces so far. */
  notes(): Promise<unknown[]>;
}

/** The format that a job asks for. */
export async function createFormat({
  job,
  known,
  shape,
  withOrigin,
  senderText,
  notes,
}: ColumnSource): Promise<FileFormat> {
  const { format, arrays, columns: selected, formulas, meta } = job.options;
  const { columns } = known;
  if (format === 'ndjson') {
    const withVersion = job.version > 1 || meta?.includes('schema_version');
    return createNdjson({ columns, selected, withVersion, meta, withOrigin, senderText });
  }
  if (format === 'parquet') {
    const { createParquet } = await import('../formats/parquet/parquet.ts');
    return createParquet({
      ...known,
      selected,
      kinds: shape?.kinds,
      senderText,
      notes: await notes(),
    });
  }
  if (shape && arrays === 'rows')
    return createTablesZip({
      tables: shape.tables,
      formulas,
      senderText,
      time: job.createdAt,
      notes: await notes(),
    });
  return createCsv({ columns, selected, elements: shape?.tables[0]?.columns, formulas, senderText });
}
