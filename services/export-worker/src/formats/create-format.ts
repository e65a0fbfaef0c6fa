import type { Column } from '@sluice/schemas/columns/columns.ts';
import type { ExportJob, ExportShape, TableShape } from '@sluice/store/jobs/job-records.ts';
import { createCsv } from './csv.ts';
import type { FileFormat } from './format.ts';
import { createNdjson } from './ndjson.ts';
import { tableHeaders } from './zip/table-headers.ts';
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

/** What writes a file, and the names of the columns in it. */
interface Made {
  format: FileFormat;
  columns: string[];
}

/** The format that a job asks for. */
export async function createFormat({ job, schema, columns, shape, notes }: Source): Promise<Made> {
  const { format, arrays, columns: selected, formulas } = job.options;
  const names = selected ?? namesOf(columns);
  if (format === 'ndjson') return { format: createNdjson({ columns, selected }), columns: names };
  if (format === 'parquet') {
    const { createParquet } = await import('./parquet/parquet.ts');
    const parquet = createParquet({
      ...{ schema, columns, selected },
      numbers: shape?.numbers,
      notes: await notes(),
    });
    return { format: parquet, columns: parquet.names };
  }
  if (!shape) return { format: createCsv({ columns, selected, formulas }), columns: names };
  if (arrays === 'rows') return tablesZip(job, shape, await notes());
  return withElements(job, columns, shape);
}

function tablesZip({ createdAt, options }: ExportJob, { tables }: ExportShape, notes: unknown[]): Made {
  return {
    format: createTablesZip({ tables, formulas: options.formulas, time: createdAt, notes }),
    columns: tableHeaders(tables).flatMap(({ file, header }) => header.map((name) => `${file}:${name}`)),
  };
}

function withElements({ options }: ExportJob, columns: Column[], shape: ExportShape): Made {
  const { columns: elements } = shape.tables[0] as TableShape;
  const { columns: selected, formulas } = options;
  return { format: createCsv({ columns, selected, elements, formulas }), columns: namesOf(elements) };
}

const namesOf = (columns: Column[]) => columns.map(({ name }) => name);
