import { type JobQueueDefinition, retried } from './definition.ts';

/** An export to be written; taken by export workers. */
export const exportsQueue: JobQueueDefinition<{ jobId: string }> = {
  name: 'exports',
  kind: 'export',
  options: retried,
  idOf: ({ jobId }) => `export-${jobId}`,
  payloadsOf: (jobId) => [{ jobId }],
};
