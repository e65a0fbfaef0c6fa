import { type QueueDefinition, retried } from './definition.ts';

/** An application that schema caches must drop; an ingest worker takes it and broadcasts. */
export const invalidationsQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'invalidations',
  options: retried,
  idOf: ({ applicationId }) => `invalidation-${applicationId}`,
};
