import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { TimeSteps } from '@sluice/store/entries/step-counts.ts';
import { type LossKind, lossKinds, sumOf } from '@sluice/store/refused/losses.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { QueryFilter, readField, toConditions, withKey } from '../http/filter.ts';
import { findApplication } from '../http/find-application.ts';
import { invalidParameter } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Bool, DateTime, Flag, Int, KeyId, Named, Query, Text, Timestamp } from '../http/schemas.ts';
import { createSendJsonAnswer } from '../http/send-json-answer.ts';
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
  every: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'So many minutes, hours or days are one step; steps count from 1970-01-01.',
      examples: [15],
    }),
  ),
  by: Text(
    '`key`: a row for each step and ingest key that sent something, in place of a row for each step. ' +
      'Else a field, as filters name it: a row for each step and value that entries have, for the ten values that most have, for null, and for the rest. A member that is called `key` is `/key`.',
  ),
  key: KeyId,
  filter: QueryFilter,
  hash: Flag('`true`: rows of hours or days have `count` and `hash`. Without `by`, `key` and `filter`.'),
});

type StatsQuery = Static<typeof StatsQuery>;

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

const ofUploads = 'Absent with `filter` and `by=<field>`, which are of entries.';

const Losses = Named(
  {
    title: 'Losses',
    description: `Uploads that were lost before they were validated, by kind. ${ofUploads}`,
  },
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
  value: Type.Optional(
    Type.Unknown({
      description:
        'With `by=<field>`: a string, a number or a boolean; null where the field is null or missing, and of the rest.',
      examples: ['Oslo'],
    }),
  ),
  rest: Type.Optional(
    Bool('`true` in rows of all other values, arrays, objects and texts beyond 200 bytes.', true),
  ),
  accepted: Int('Entries with `createdAt` in this step, exactly.', 120),
  refused: Type.Optional(Int(`Uploads that were refused in this step. ${ofUploads}`, 3)),
  lost: Type.Optional(Losses),
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
function toSteps(query: StatsQuery): TimeSteps {
  const { step = 'minute', every = 1 } = query;
  const length = every * lengths[step];
  const { from, to = new Date() } = toPeriod(query);
  const end = Math.ceil(to.getTime() / length);
  const begin = from ? Math.floor(from.getTime() / length) : end - usualSteps;
  const count = Math.max(end - begin, 0);
  if (count > mostSteps) {
    const message = `the period has ${count.toLocaleString('en')} steps of ${every === 1 ? 'one' : every} ${step}${every === 1 ? '' : 's'}, at most ${mostSteps.toLocaleString('en')} are possible: choose a shorter period or a longer step`;
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
function checkCombined({ step = 'minute', by, key, filter, hash }: StatsQuery): void {
  if (hash && step === 'minute')
    throw new ApiError('InvalidRequestError', '`hash` needs step=hour or step=day');
  if (hash && (by !== undefined || key !== undefined || filter !== undefined))
    throw new ApiError('InvalidRequestError', '`hash` is of all entries: leave out `by`, `key` and `filter`');
  if (by === 'key' && filter !== undefined)
    throw new ApiError('InvalidRequestError', '`by=key` takes no `filter`: name one key by `key`');
}

/** The field of `by`. Throws ApiError. */
function toPath(by: string): string[] {
  const field = readField(by);
  if ('path' in field) return field.path;
  throw invalidParameter('by', 'by', field.message);
}

export const statsRoutes: Routes = async (app, dependencies) => {
  const { store, capacity } = dependencies;
  bearerRoutes(app, 'Entries');
  const count = createCountUploads(store);
  const sendAnswer = createSendJsonAnswer(dependencies);

  /** Counts uploads, of which refused and lost ones are known too. */
  async function countUploads(
    application: ApplicationRecord,
    steps: TimeSteps,
    { by, key, hash }: StatsQuery,
  ): Promise<Static<typeof Stats>[]> {
    if (by === 'key') return toRowsOfKeys(steps, await count.byKey(application, steps, key));
    if (key !== undefined) return toRows(steps, await count.ofKey(application, steps, key));
    if (!hash) return toRows(steps, await count.all(application, steps));
    const { proofs, ...counted } = await count.proven(application, steps);
    return toRows(steps, counted).map((row, step) => ({
      ...row,
      count: row.accepted,
      hash: (proofs[step] as bigint).toString(16).padStart(proofDigits, '0'),
    }));
  }

  app.get(
    '/applications/:domain/stats',
    operation('getStats', 'Count uploads by minute, hour or day', {
      description:
        'The steps that the period touches, in UTC, oldest first: at most 1,000. Each is counted as a whole. Without `to` it ends now, without `from` it has 60 steps. ' +
        'With `filter` or `by=<field>` a query worker counts entries, and the header `Sluice-As-Of` says up to when every entry is counted.',
      params: ByDomain,
      querystring: StatsQuery,
      response: {
        200: Success(Type.Array(Stats)),
        ...ownFailures('ServiceUnavailableError'),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { by, key, filter } = request.query;
      checkCombined(request.query);
      const steps = toSteps(request.query);
      const path = by === undefined || by === 'key' ? undefined : toPath(by);
      const given = filter === undefined ? undefined : toConditions(filter);
      const application = await findApplication(store.applications, request);
      if (path || given) {
        const { from, length, count } = steps;
        return sendAnswer(reply, application, '/counts', {
          conditions: await withKey(store.senders, application.id, given, key),
          from: new Date(from),
          to: new Date(from + count * length),
          steps,
          path,
        });
      }
      const read = () => countUploads(application, steps, request.query);
      return success(reply, await capacity.pageReads.runInFairOrder(request.owner.id, read));
    },
  );
};
