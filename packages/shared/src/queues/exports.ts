import { type QueueDefinition, retried } from './definition.ts';

/** An export to be written; taken by export workers. */
export const exportsQueue: QueueDefinition<{ jobId: string }> = {
  name: 'exports',
  options: retried,
  idOf: ({ jobId }) => `export-${jobId}`,
};
