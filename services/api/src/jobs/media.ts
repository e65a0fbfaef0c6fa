import type { JobWithFile } from '@sluice/jobs/record/job-records.ts';

const types = {
  csv: ['text/csv; charset=utf-8', 'csv'],
  ndjson: ['application/x-ndjson; charset=utf-8', 'ndjson'],
  parquet: ['application/vnd.apache.parquet', 'parquet'],
  zip: ['application/zip', 'zip'],
} as const;

function kindOf(job: JobWithFile): keyof typeof types {
  if (job.kind !== 'export') return 'ndjson';
  const { format, arrays } = job.options;
  return format === 'csv' && arrays === 'rows' ? 'zip' : format;
}

/** What a job's file is called, and what it is. The domain is `[a-z0-9-]`. */
export function mediaOf(job: JobWithFile): { type: string; disposition: string } {
  const [type, extension] = types[kindOf(job)];
  const time = job.createdAt.toISOString().replace(/[-:]|\.\d+/g, '');
  const name = `${job.domain}-${job.kind === 'export' ? '' : `${job.kind}-`}${time}.${extension}`;
  return { type, disposition: `attachment; filename="${name}"` };
}
