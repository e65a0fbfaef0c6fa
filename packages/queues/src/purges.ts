import { type QueueDefinition, retried } from './definition.ts';

/** A deleted application whose entries, jobs and files shall go; taken by ingest workers. */
export const purgesQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'purges',
  options: retried,
  idOf: ({ applicationId }) => `purge-${applicationId}`,
};
