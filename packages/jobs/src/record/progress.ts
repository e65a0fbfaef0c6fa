/** The rate is that of at least the last so many ms. */
const rateOverMs = 2_000;

/** Of a job that a worker has. */
export const begun = {
  state: 'active',
  startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
} as const;

const since = { at: { $ifNull: ['$mark.at', '$startedAt'] }, done: { $ifNull: ['$mark.done', 0] } };
const elapsed = { $subtract: ['$$NOW', since.at] };
const isDue = { $gte: [elapsed, rateOverMs] };
const rate = { $round: { $divide: [{ $multiply: [{ $subtract: ['$done', since.done] }, 1_000] }, elapsed] } };

/** A stage of an update: how fast a job goes on, by what was done since it was measured last. */
export const measureRate = {
  $set: {
    rate: { $cond: [isDue, rate, { $ifNull: ['$rate', '$$REMOVE'] }] },
    mark: { $cond: [isDue, { at: '$$NOW', done: '$done' }, { $ifNull: ['$mark', '$$REMOVE'] }] },
  },
};
