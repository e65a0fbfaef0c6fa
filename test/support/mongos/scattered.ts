import { shardKeys } from '@sluice/store/sharding/collections.ts';
import type { Asked } from './record.ts';
import type { Target } from './targets.ts';

interface Scattered extends Pick<Asked, 'command' | 'collection' | 'shape'> {
  reason: string;
}

const ofCollections = (names: string[], command: string, shape: string, reason: string): Scattered[] =>
  names.map((collection) => ({ command, collection, shape, reason }));

/** The commands of Sluice that ask all shards, with the reason: their cost grows with the number of shards. */
export const scattered: Scattered[] = [
  {
    command: 'aggregate',
    collection: 'refused',
    shape: '',
    reason: 'Every few seconds a worker asks which applications have refused uploads that are new.',
  },
  {
    command: 'aggregate',
    collection: 'milestones',
    shape: 'application removed',
    reason: 'Once a minute a worker asks which applications have many deletions to fold.',
  },
  {
    command: 'find',
    collection: 'refusals',
    shape: '_id',
    reason: 'A sweep goes from one application to the next, wherever that is.',
  },
  {
    command: 'aggregate',
    collection: 'parts',
    shape: '',
    reason: 'Every ten minutes a worker looks for parts without a job; doctor does so too.',
  },
  {
    command: 'delete',
    collection: 'parts',
    shape: '_id job',
    reason: 'When a job has ended, what it does not need is removed: its parts are spread over all shards.',
  },
  {
    command: 'delete',
    collection: 'batches',
    shape: 'application',
    reason: 'When an application is purged, the keys of its batches go: they are spread over all shards.',
  },
  {
    command: 'find',
    collection: 'parts',
    shape: '_id',
    reason: 'A backup reads all parts, by the time in their ids.',
  },
  ...ofCollections(['batches', 'idempotency', 'refused', 'refusals'], 'find', '', 'A backup reads all.'),
  ...ofCollections(['batches', 'idempotency', 'refused'], 'find', '_id', 'A backup reads page after page.'),
  ...ofCollections(Object.keys(shardKeys), 'count', '', 'A restore looks whether the database is empty.'),
  ...ofCollections(Object.keys(shardKeys), 'aggregate', '', 'A restore looks whether the database is empty.'),
];

/** Whether a command may ask all shards. */
export const mayScatter = (asked: string, { sharded: { ns }, shape: names }: Target): boolean =>
  scattered.some(
    ({ command, collection, shape }) => command === asked && ns.endsWith(`.${collection}`) && shape === names,
  );
