import { ApiError } from '@sluice/shared/errors.ts';
import type { TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { type LossKind, lossKinds, sumOf } from '@sluice/store/refused/losses.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit } from '../http/route-parts.ts';
import { DateTime, Flag, Int, KeyId, Named, Query, Text, Timestamp } from '../http/schemas.ts';
import { toPeriod } from '../http/validation.ts';
import { type Counted, createCountUploads } from './count-uploads.ts';

const StatsQuery = Query({
  from: Timestamp,
  to: Timestamp,
  step: Type.Enum(['minute', 'hour', 'day'], {
    title: 'StatsStep',
    default: 'minute',
    description: 'What is counted together.',
  }),
  by: Type.Enum(['key'], {
    title: 'StatsBy',
    description: 'A row for each step and ingest key that sent something, in place of a row for each step.',
  }),
  key: KeyId,
  hash: Flag('`true`: rows of hours or days have `count` and `hash`. Without `by` and `key`.'),
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
  key: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'With `by=key`: the id of the ingest key; null: without one.',
      examples: ['66f1c2a4e8b5d70912345678'],
    }),
  ),
  accepted: Int('Entries with `createdAt` in this step, exactly.', 120),
  refused: Int('Uploads that were refused in this step.', 3),
  lost: Losses,
  count: Type.Optional(Int('With `hash=true`: the entries that were added up, as `accepted`.', 120)),
  hash: Type.Optional(
    Text(
      'With `hash=true`: the sum modulo 2^64 of the first 8 bytes, big-endian, of the SHA-256 of the unique value of each entry, else of its idempotency key. 16 hexadecimal digits. Entries with neither, and lines of batches without a unique value, add nothing.',
      '9f86d081884c7d65',
    ),
  ),
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

/** Of an answer by key. */
const mostRows = 10_000;
const proofDigits = 16;

const toRow = ({ from, length }: TimeSteps, { accepted, missed }: Counted, step: number) => ({
  at: new Date(from + step * length).toISOString(),
  accepted: accepted[step] as number,
  refused: missed.get(step)?.refused ?? 0,
  lost: forEachLoss((kind) => missed.get(step)?.lost[kind] ?? 0),
});

type Row = ReturnType<typeof toRow>;

const toRows = (steps: TimeSteps, counted: Counted): Row[] =>
  counted.accepted.map((_, step) => toRow(steps, counted, step));

/** Throws ApiError if the rows are too many. */
function toRowsOfKeys(
  steps: TimeSteps,
  counted: Map<string | null, Counted>,
): (Row & { key: string | null })[] {
  const isSent = ({ accepted, refused, lost }: Row) => accepted + refused + sumOf(lost) > 0;
  const rows = Array.from({ length: steps.count }, (_, step) =>
    [...counted].map(([key, own]) => ({ ...toRow(steps, own, step), key })).filter(isSent),
  ).flat();
  if (rows.length <= mostRows) return rows;
  const message = `the answer has ${rows.length.toLocaleString('en')} rows, at most ${mostRows.toLocaleString('en')} are possible: choose a shorter period, a longer step or one key`;
  throw new ApiError('InvalidRequestError', message);
}

/** Throws ApiError for what cannot be combined. */
function checkHash({ step = 'minute', by, key, hash }: Static<typeof StatsQuery>): void {
  if (hash && step === 'minute')
    throw new ApiError('InvalidRequestError', '`hash` needs step=hour or step=day');
  if (hash && (by !== undefined || key !== undefined))
    throw new ApiError('InvalidRequestError', '`hash` is of all senders: leave out `by` and `key`');
}

export const statsRoutes: Routes = async (app, { store, capacity: { pageReads } }) => {
  bearerRoutes(app, 'Entries');
  const count = createCountUploads(store);

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
      const { by, key, hash } = request.query;
      checkHash(request.query);
      const steps = toSteps(request.query);
      const application = await findApplication(store.applications, request);
      const read = async (): Promise<Static<typeof Stats>[]> => {
        if (by === 'key') return toRowsOfKeys(steps, await count.byKey(application, steps, key));
        if (key !== undefined) return toRows(steps, await count.ofKey(application, steps, key));
        if (!hash) return toRows(steps, await count.all(application, steps));
        const { proofs, ...counted } = await count.proven(application, steps);
        return toRows(steps, counted).map((row, step) => ({
          ...row,
          count: row.accepted,
          hash: (proofs[step] as bigint).toString(16).padStart(proofDigits, '0'),
        }));
      };
      return success(reply, await pageReads.runInFairOrder(request.owner.id, read));
    },
  );
};
