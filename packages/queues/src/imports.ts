import { type JobQueueDefinition, retried } from './definition.ts';

/** So many workers at once work on the chunks of an import. */
const slots = [0, 1, 2, 3];

/** An import of which a chunk is to be done; taken by ingest workers. */
export const importsQueue: JobQueueDefinition<{ jobId: string; slot: number }> = {
  name: 'imports',
  kind: 'import',
  options: retried,
  idOf: ({ jobId, slot }) => `import-${jobId}-${slot}`,
  payloadsOf: (jobId) => slots.map((slot) => ({ jobId, slot })),
};
