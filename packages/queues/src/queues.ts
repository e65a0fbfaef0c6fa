import type { JobRecord } from '@sluice/store/jobs/job-records.ts';

/** What both ends of a queue must agree on. Payloads carry ids only. */
export interface QueueDefinition<Payload> {
  name: string;
  /** What one of its jobs is called. */
  kind: JobRecord['kind'] | 'purge' | 'invalidation';
  /** The same payload gives the same id, so that adding it twice delivers it once. No `:` in it. */
  idOf(payload: Payload): string;
}

/** A queue of jobs that have a record in MongoDB. */
export interface JobQueueDefinition<Payload> extends QueueDefinition<Payload> {
  kind: JobRecord['kind'];
  /** One for each worker that may work on the job at once. */
  payloadsOf(jobId: string): Payload[];
}

/** An export to be written; taken by export workers. */
export const exportsQueue: JobQueueDefinition<{ jobId: string }> = {
  name: 'exports',
  kind: 'export',
  idOf: ({ jobId }) => `export-${jobId}`,
  payloadsOf: (jobId) => [{ jobId }],
};

/** An import of which a chunk is to be done, by four at once; taken by ingest workers. */
export const importsQueue: JobQueueDefinition<{ jobId: string; slot: number }> = {
  name: 'imports',
  kind: 'import',
  idOf: ({ jobId, slot }) => `import-${jobId}-${slot}`,
  payloadsOf: (jobId) => [0, 1, 2, 3].map((slot) => ({ jobId, slot })),
};

/** A rehearsal of which a range of entries is to be checked, by four at once; taken by ingest workers. */
export const rehearsalsQueue: JobQueueDefinition<{ jobId: string; slot: number }> = {
  name: 'rehearsals',
  kind: 'rehearsal',
  idOf: ({ jobId, slot }) => `rehearsal-${jobId}-${slot}`,
  payloadsOf: (jobId) => [0, 1, 2, 3].map((slot) => ({ jobId, slot })),
};

/** Refused uploads to be validated again; taken by ingest workers. */
export const replaysQueue: JobQueueDefinition<{ jobId: string }> = {
  name: 'replays',
  kind: 'replay',
  idOf: ({ jobId }) => `replay-${jobId}`,
  payloadsOf: (jobId) => [{ jobId }],
};

/** Entries to be deleted; taken by ingest workers. */
export const deletionsQueue: JobQueueDefinition<{ jobId: string }> = {
  name: 'deletions',
  kind: 'deletion',
  idOf: ({ jobId }) => `deletion-${jobId}`,
  payloadsOf: (jobId) => [{ jobId }],
};

/** The queue of each kind of job. */
// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
export const jobQueues: Record<JobRecord['kind'], JobQueueDefinition<any>> = {
  export: exportsQueue,
  import: importsQueue,
  rehearsal: rehearsalsQueue,
  replay: replaysQueue,
  deletion: deletionsQueue,
};

/** A deleted application whose entries, jobs and files shall go; taken by ingest workers. */
export const purgesQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'purges',
  kind: 'purge',
  idOf: ({ applicationId }) => `purge-${applicationId}`,
};

/** An application that schema caches must drop; an ingest worker takes it and broadcasts. */
export const invalidationsQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'invalidations',
  kind: 'invalidation',
  idOf: ({ applicationId }) => `invalidation-${applicationId}`,
};

// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
export const allQueues: QueueDefinition<any>[] = [
  ...Object.values(jobQueues),
  purgesQueue,
  invalidationsQueue,
];
