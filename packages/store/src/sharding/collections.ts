/** The fields of a shard key, in their order. */
export type ShardKey = Record<string, 1 | 'hashed'>;

/**
 * The collections that grow with entries, and how a sharded cluster divides them. All others stay on one shard: they are small, or removed
 * soon. Keys begin with the application, so that its documents lie together and one shard answers for them.
 */
export const shardKeys: Record<string, ShardKey> = {
  // The application, then the time.
  entries: { _id: 1 },
  // The application, then a hash.
  idempotency: { _id: 1 },
  // Without the rank, which deletions change: MongoDB changes no shard keys of several documents at once. 1,200,000,000 entries fill a chunk.
  milestones: { application: 1 },
  // A hash already, but only hashed keys are spread over all shards from the first document on.
  batches: { _id: 'hashed' },
  // A file of some gigabytes would be too much for a chunk that has one job's.
  parts: { _id: 'hashed' },
  refused: { application: 1, _id: 1 },
  // The application, then the minute.
  refusals: { _id: 1 },
};
