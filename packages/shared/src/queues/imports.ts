import { type QueueDefinition, retried } from './definition.ts';

/** So many workers at once are called to an import. */
const lanes = [0, 1, 2, 3];

export interface ImportCall {
  jobId: string;
  lane: number;
}

/** A call to ingest workers that there is an import to do. Who comes takes the chunk whose turn it is, of any import. */
export const importsQueue: QueueDefinition<ImportCall> = {
  name: 'imports',
  options: retried,
  idOf: ({ jobId, lane }) => `import-${jobId}-${lane}`,
};

export const callsFor = (jobId: string): ImportCall[] => lanes.map((lane) => ({ jobId, lane }));
