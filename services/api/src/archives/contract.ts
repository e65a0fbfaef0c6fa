import { toPlace } from '@sluice/jobs/record/to-place.ts';
import {
  type ArchiveRecord,
  archiveFormats,
  archivePeriods,
} from '@sluice/store/archives/archive-records.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { senderMeta } from '@sluice/tables/columns.ts';
import Type, { type Static } from 'typebox';
import { aboutSender } from '../http/meta.ts';
import { DateTime, Int, Name, Named, Strict, Text } from '../http/schemas.ts';
import { Place, place, secret, TargetBody } from '../http/target.ts';
import { ListedDeletions } from '../jobs/contract.ts';

const every = Type.Enum(Object.keys(archivePeriods) as (keyof typeof archivePeriods)[], {
  title: 'ArchivePeriod',
  description: 'How long after a run the next one begins.',
});
const name = Type.Optional(Type.String({ ...Name, examples: ['Lake'] }));
const chosen = {
  name,
  format: Type.Enum([...archiveFormats], { title: 'ArchiveFormat' }),
  every,
  from: Type.Enum(['beginning', 'now'], {
    title: 'ArchiveStart',
    description: '`now`: without the entries that are stored already.',
  }),
  meta: Type.Optional(
    Type.Array(Type.Enum([...senderMeta], { title: 'ArchiveMeta' }), {
      uniqueItems: true,
      description: `Files have these columns too: ${aboutSender}`,
      examples: [['source']],
    }),
  ),
};
const example = { name: 'Lake', to: { kind: 'folder' }, format: 'parquet', every: '1h', from: 'beginning' };

export const NewArchive = Strict({ title: 'NewArchive', examples: [example] }, { to: TargetBody, ...chosen });

export const ArchiveUpdate = Strict(
  { title: 'ArchiveUpdate', examples: [{ name: 'Lake', every: '1h' }] },
  {
    name,
    every: Type.Optional(every),
    state: Type.Optional(Type.Enum(['active', 'paused'], { title: 'ArchiveStateUpdate' })),
    to: Type.Optional(
      Strict(
        { title: 'ArchiveKey', description: 'A new key of the bucket. The place cannot change.' },
        { ...place, kind: Type.Optional(place.kind), ...secret },
      ),
    ),
  },
);

export const Archive = Named(
  {
    title: 'Archive',
    examples: [
      {
        id: '66f1c2a4e8b5d70912345678',
        ...example,
        state: 'active',
        lag_seconds: 0,
        next_run_at: '2026-11-21T04:00:00.000Z',
        entries: 0,
        bytes: 0,
        covers: {},
        createdAt: '2026-11-21T04:00:00.000Z',
        createdBy: 'ada',
      },
    ],
  },
  {
    id: Type.String(),
    to: Place,
    ...chosen,
    state: Type.Enum(['active', 'paused', 'failing'], {
      title: 'ArchiveState',
      description:
        '`failing`: the last run failed, for `reason`; it is tried again, at the latest after 5 min.',
    }),
    reason: Type.Optional(Type.String()),
    lag_seconds: Int(
      'For how long, at most, an acknowledged entry has waited for a run; 0 when none waits. An entry with an older time waits since it was imported, and one from before the archive since that was made.',
      0,
    ),
    last_run: Type.Optional(
      Named('ArchiveRun', {
        run: Int('Number of the run, from 1.', 1),
        at: DateTime('When it ended.'),
        entries: Type.Integer(),
        files: Type.Integer(),
        bytes: Type.Integer(),
        deletions: ListedDeletions,
      }),
    ),
    next_run_at: Type.Optional(DateTime('Absent while it is paused.')),
    entries: Int('Of all runs.', 0),
    bytes: Int('Of all runs.', 0),
    covers: Named('ArchiveCoverage', {
      from: Type.Optional(DateTime('Absent: from the beginning.')),
      to: Type.Optional(DateTime('`createdAt` of the newest entry that is covered; absent: none is.')),
    }),
    createdAt: DateTime(),
    createdBy: Text('Username.', 'ada'),
  },
);

const toLastRun = ({ plannedAt: _, at, ...rest }: NonNullable<ArchiveRecord['lastRun']>) => ({
  ...rest,
  at: at.toISOString(),
});

/** As users see it. `lag`: in seconds. */
export function toArchiveAnswer(record: ArchiveRecord, lag: number): Static<typeof Archive> {
  const { id, name, to, format, every, from, meta, state, reason, lastRun, dueAt, entries, bytes } = record;
  const { until } = record.covers;
  return {
    id,
    ...(name !== undefined && { name }),
    to: toPlace(to),
    format,
    every,
    from,
    ...(meta && { meta: meta as Static<typeof Archive>['meta'] & object }),
    state,
    ...(reason !== undefined && { reason }),
    lag_seconds: lag,
    ...(lastRun && { last_run: toLastRun(lastRun) }),
    // What is due at once has no time of its own.
    ...(state !== 'paused' && { next_run_at: new Date(Math.max(dueAt.getTime(), Date.now())).toISOString() }),
    entries,
    bytes,
    covers: {
      ...(from === 'now' && { from: record.createdAt.toISOString() }),
      ...(until !== undefined && { to: timeOfId(until).toISOString() }),
    },
    createdAt: record.createdAt.toISOString(),
    createdBy: record.createdBy,
  };
}
