import type { Column } from '@sluice/schemas/columns/columns.ts';
import type { ExportJob, ExportShape } from '@sluice/store/jobs/job-records.ts';
import { createCsv } from './csv.ts';
import type { FileFormat } from './format.ts';
import { createNdjson } from './ndjson.ts';
import { createTablesZip } from './zip/tables-zip.ts';

interface Source {
  job: ExportJob;
  schema: Record<string, unknown>;
  columns: Column[];
  /** Where not all of the columns are known beforehand. */
  shape: ExportShape | undefined;
  /** Of all pieces so far. */
  notes(): Promise<unknown[]>;
}

/** The format that a job asks for. */
export async function createFormat({ job, schema, columns, shape, notes }: Source): Promise<FileFormat> {
  const { format, arrays, columns: selected, formulas } = job.options;
  if (format === 'ndjson') return createNdjson({ columns, selected });
  if (format === 'parquet') {
    const { createParquet } = await import('./parquet/parquet.ts');
    return createParquet({ schema, columns, selected, numbers: shape?.numbers, notes: await notes() });
  }
  if (shape && arrays === 'rows')
    return createTablesZip({ tables: shape.tables, formulas, time: job.createdAt, notes: await notes() });
  return createCsv({ columns, selected, elements: shape?.tables[0]?.columns, formulas });
}
