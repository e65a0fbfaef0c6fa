import { ApiError } from '@sluice/shared/errors.ts';
import { createStepCounter, type TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { type LossKind, lossKinds } from '@sluice/store/refused/losses.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit } from '../http/route-parts.ts';
import { DateTime, Int, Named, Query, Timestamp } from '../http/schemas.ts';
import { toPeriod } from '../http/validation.ts';

const StatsQuery = Query({
  from: Timestamp,
  to: Timestamp,
  step: Type.Enum(['minute', 'hour', 'day'], {
    title: 'StatsStep',
    default: 'minute',
    description: 'What is counted together.',
  }),
});

const forEachLoss = <Value>(make: (kind: LossKind) => Value) =>
  Object.fromEntries(lossKinds.map((kind) => [kind, make(kind)])) as Record<LossKind, Value>;

const losses: Record<LossKind, string> = {
  not_json: 'The body, or a line of a batch, is not JSON.',
  too_large: 'The body, or a line of a batch, is over the limit.',
  media_type: 'Another content type or encoding than the route takes.',
  no_key: 'The application needs a key, and none came.',
  wrong_key: 'The key is unknown, revoked or expired.',
  rate: 'A rate or a quota was used up.',
  cut: 'The connection broke, or timed out, before the body was complete.',
};

const Losses = Named(
  { title: 'Losses', description: 'Uploads that were lost before they were validated, by kind.' },
  forEachLoss((kind) => Int(losses[kind], 0)),
);

const Stats = Named('Stats', {
  at: DateTime('Begin of the step.'),
  accepted: Int('Entries with `createdAt` in this step, exactly.', 120),
  refused: Int('Uploads that were refused in this step.', 3),
  lost: Losses,
});

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const mostSteps = 1_000;
const usualSteps = 60;

/** The steps that a period touches. Throws ApiError if they are too many. */
function toSteps(query: Static<typeof StatsQuery>): TimeSteps {
  const { step = 'minute' } = query;
  const length = lengths[step];
  const { from, to = new Date() } = toPeriod(query);
  const end = Math.ceil(to.getTime() / length);
  const begin = from ? Math.floor(from.getTime() / length) : end - usualSteps;
  const count = Math.max(end - begin, 0);
  if (count > mostSteps) {
    const message = `the period has ${count.toLocaleString('en')} steps of one ${step}, at most ${mostSteps.toLocaleString('en')} are possible: choose a shorter period or a longer step`;
    throw new ApiError('InvalidRequestError', message);
  }
  return { from: begin * length, length, count };
}

export const statsRoutes: Routes = async (
  app,
  { store: { applications, entries, refusalCounts }, capacity: { pageReads } },
) => {
  bearerRoutes(app, 'Entries');

  app.get(
    '/applications/:domain/stats',
    operation('getStats', 'Count uploads by minute, hour or day', {
      description:
        'The steps that the period touches, in UTC, oldest first: at most 1,000. Each is counted as a whole. Without `to` it ends now, without `from` it has 60 steps.',
      params: ByDomain,
      querystring: StatsQuery,
      response: { 200: Success(Type.Array(Stats)), ...overLimit },
    }),
    async (request, reply) => {
      const steps = toSteps(request.query);
      const { id, hasDeletions } = await findApplication(applications, request);
      const refused = createStepCounter(steps);
      const lost = forEachLoss(() => createStepCounter(steps));
      const end = steps.from + steps.count * steps.length;
      const accepted = await pageReads.runInFairOrder(request.owner.id, async () => {
        const period = { from: new Date(steps.from), to: new Date(end) };
        const [counts, minutes] = await Promise.all([
          entries.countSteps(id, steps, !hasDeletions),
          refusalCounts.byMinute(id, period),
        ]);
        for (const minute of minutes) {
          refused.add(minute.at.getTime(), minute.refused);
          for (const kind of lossKinds) lost[kind].add(minute.at.getTime(), minute.lost[kind]);
        }
        return counts;
      });
      const stats = accepted.map((count, step) => ({
        at: new Date(steps.from + step * steps.length).toISOString(),
        accepted: count,
        refused: refused.counts[step] as number,
        lost: forEachLoss((kind) => lost[kind].counts[step] as number),
      }));
      return success(reply, stats);
    },
  );
};
