import type { ExportJob, ExportShape } from '@sluice/jobs/record/export-record.ts';
import { datesOf, type Known } from '../export/known-columns.ts';
import { createCsv } from './csv.ts';
import type { FileFormat } from './format.ts';
import { createNdjson } from './ndjson.ts';
import { createTablesZip } from './zip/tables-zip.ts';

interface Source {
  job: ExportJob;
  known: Known;
  /** Where not all of the columns are known beforehand. */
  shape: ExportShape | undefined;
  /** Of all pieces so far. */
  notes(): Promise<unknown[]>;
}

/** The format that a job asks for. */
export async function createFormat({ job, known, shape, notes }: Source): Promise<FileFormat> {
  const { format, arrays, columns: selected, formulas, meta } = job.options;
  const { columns } = known;
  const { version = 1 } = job;
  if (format === 'ndjson') {
    const withVersion = version > 1 || meta?.includes('schema_version');
    return createNdjson({ columns, selected, withId: job.version !== undefined, withVersion });
  }
  if (format === 'parquet') {
    const { createParquet } = await import('./parquet/parquet.ts');
    return createParquet({
      ...known,
      selected,
      kinds: shape?.kinds,
      dates: datesOf(job),
      notes: await notes(),
    });
  }
  if (shape && arrays === 'rows')
    return createTablesZip({ tables: shape.tables, formulas, time: job.createdAt, notes: await notes() });
  return createCsv({ columns, selected, elements: shape?.tables[0]?.columns, formulas });
}
