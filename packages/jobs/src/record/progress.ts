/** The rate is measured over at least this time. */
const rateOverMs = 2_000;

export const begun = {
  state: 'active',
  startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
} as const;

const since = { at: { $ifNull: ['$mark.at', '$startedAt'] }, done: { $ifNull: ['$mark.done', 0] } };
const elapsed = { $subtract: ['$$NOW', since.at] };
const isDue = { $gte: [elapsed, rateOverMs] };
const rate = { $round: { $divide: [{ $multiply: [{ $subtract: ['$done', since.done] }, 1_000] }, elapsed] } };

/** A stage of an update: sets the rate since the last measurement. */
export const measureRate = {
  $set: {
    rate: { $cond: [isDue, rate, { $ifNull: ['$rate', '$$REMOVE'] }] },
    mark: { $cond: [isDue, { at: '$$NOW', done: '$done' }, { $ifNull: ['$mark', '$$REMOVE'] }] },
  },
};
