import type { ExportJob, ExportOptions } from './export-record.ts';
import type { JobRecord } from './job-records.ts';

const types = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  zip: 'application/zip',
} as const;

/** What the name and the type of a file say. */
export type DescribedFile = { domain: string; createdAt: Date } & (
  | { kind: 'export'; options: Pick<ExportOptions, 'format' | 'arrays'> }
  | { kind: Exclude<JobRecord['kind'], 'export'>; as?: 'csv' | undefined }
);

function formatOf(job: DescribedFile): keyof typeof types {
  if (job.kind !== 'export') return job.as ?? 'ndjson';
  const { format, arrays } = job.options;
  return format === 'csv' && arrays === 'rows' ? 'zip' : format;
}

export const mediaTypeOf = (job: DescribedFile): string => types[formatOf(job)];

/** The name of the object that an export with a target makes, in the target. */
export const objectNameOf = ({ id, domain, createdAt, options }: ExportJob): string =>
  `${domain}/exports/${createdAt.toISOString().slice(0, 10)}-${id}.${formatOf({ kind: 'export', domain, createdAt, options })}`;

/** The name of a job's file. A domain has only `[a-z0-9-]`, so the name needs no escapes. */
export function fileNameOf(job: DescribedFile): string {
  const time = job.createdAt.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${job.domain}-${job.kind === 'export' ? '' : `${job.kind}-`}${time}.${formatOf(job)}`;
}
