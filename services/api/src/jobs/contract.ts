import { jobKinds, jobStates } from '@sluice/jobs/record/job.ts';
import Type, { type Static } from 'typebox';
import { DateTime, Int, Named, RefusedByKey, Text } from '../http/schemas.ts';
import { Place } from '../http/target.ts';

const JobFile = Named(
  { title: 'JobFile', description: 'The file of a completed job.' },
  {
    url: Type.Optional(
      Text('Path of the file on this server; absent where an export went `to` another place.'),
    ),
    name: Text('Name under which the file is downloaded; name of the object of an export with `to`.'),
    bytes: Type.Integer(),
    rows: Int(
      'Entries of an export; refused lines in the report of an import; what does not conform in a rehearsal.',
    ),
    sha256: Text('Hash of the file without Content-Encoding, in hex.'),
    firstCreatedAt: Type.Optional(DateTime()),
    lastCreatedAt: Type.Optional(DateTime()),
    deleted_meanwhile: Type.Optional(
      Type.Literal(true, {
        description: 'Export: entries of its period were deleted while it was made, and may be missing.',
      }),
    ),
  },
);

const RehearsalResult = Named('RehearsalResult', {
  checked: Type.Integer({ examples: [2] }),
  conforming: Type.Integer({ examples: [1] }),
  groups: Type.Optional(
    Type.Array(
      Named('RehearsalGroup', {
        path: Text('JSON Pointer into the payload.', '/celsius'),
        keyword: Type.String({ examples: ['maximum'] }),
        property: Type.Optional(Text('The member that is missing, or must not be there.')),
        count: Type.Integer({ examples: [1] }),
        example: Type.Unknown({
          description: 'A payload of them; one of more than 1 KiB is cut off, and a string.',
          examples: [{ celsius: 61 }],
        }),
      }),
      {
        description:
          'What does not conform, by what is wrong with it first; most frequent first. After 1,000 reasons the others are counted together, with the keyword `other`. Absent in lists and events.',
      },
    ),
  ),
  by_key: Type.Optional(RefusedByKey),
});

const ReplayAnswer = Named('ReplayResult', {
  stored: Type.Integer({ examples: [2] }),
  still_refused: Type.Integer({ examples: [0] }),
  repeated: Type.Optional(
    Int(
      'Uploads that were stored before with the same `Idempotency-Key` or unique value; they are refused no more.',
    ),
  ),
});

const DeletionResult = Named('DeletionResult', { deleted: Type.Integer({ examples: [2] }) });

const ErasureResult = Named('ErasureResult', {
  entries: Type.Integer({ examples: [2] }),
  refused: Int('Refused uploads.', 1),
  files: Int('Files of jobs that could have copies.', 1),
});

const UniqueResult = Named('UniqueResult', {
  checked: Type.Integer({ examples: [2] }),
  repeated: Int('Entries with the value and the payload of an older one.', 1),
  conflicting: Int('Entries with the value of an older one, and another payload.', 0),
});

export const ListedDeletions = Type.Optional(
  Int('Deleted entries that the run lists in `_deleted`. Absent where there are none.', 1),
);

const ArchiveResult = Named('ArchiveResult', {
  entries: Type.Integer({ examples: [2] }),
  files: Type.Integer({ examples: [1] }),
  bytes: Type.Integer({ examples: [91] }),
  deletions: ListedDeletions,
});

const VerificationResult = Named('VerificationResult', {
  entries: Int('Entries that the runs cover, without deleted ones.', 2),
  files: Type.Integer({ examples: [1] }),
  bytes: Type.Integer({ examples: [91] }),
  equal: Type.Literal(true),
});

const exampleResults = {
  rehearsal: {
    checked: 2,
    conforming: 1,
    groups: [{ path: '/celsius', keyword: 'maximum', count: 1, example: { celsius: 61 } }],
    by_key: [{ key: '66f1c2a4e8b5d70912345678', checked: 2, refused: 1, paths: ['/celsius'] }],
  },
  replay: { stored: 2, still_refused: 0 },
  deletion: { deleted: 2 },
  erasure: { entries: 2, refused: 0, files: 1 },
  unique: { checked: 2, repeated: 1, conflicting: 0 },
  archive: { entries: 2, files: 1, bytes: 91 },
  verification: { entries: 2, files: 1, bytes: 91, equal: true as const },
};

export const JobAnswer = Named('Job', {
  id: Type.String(),
  kind: Type.Enum([...jobKinds], { title: 'JobKind' }),
  state: Type.Enum([...jobStates], { title: 'JobState' }),
  progress: Named(
    { title: 'JobProgress', description: 'Counts lines of an import, else entries and refused uploads.' },
    {
      done: Type.Integer(),
      total: Type.Integer(),
      rate: Type.Optional(Int('Entries or lines per second.')),
      secondsLeft: Type.Optional(Type.Integer()),
    },
  ),
  format: Type.Optional(
    Type.Enum(['csv', 'ndjson', 'json', 'parquet'], {
      title: 'FileFormat',
      description: 'Export and import: format of the file.',
    }),
  ),
  asked: Type.Optional(
    Named(
      {
        title: 'ExportAsked',
        description:
          'Export: what it was asked for. Absent in webhooks, and after an erasure failed the export.',
      },
      {
        from: Type.Optional(DateTime()),
        before: Type.Optional(
          DateTime('Only entries before this time: the `to` or `before` of the request.'),
        ),
        filter: Type.Optional(Text('The filter, as JSON text.', '{"/place":{"eq":"Oslo"}}')),
        key: Type.Optional(Text('Id of the ingest key.')),
        meta: Type.Optional(Type.Array(Type.String())),
        column_count: Type.Optional(Int('How many columns were asked for; absent: all columns.')),
      },
    ),
  ),
  name: Type.Optional(Text('Import: name of the file, as the client said.')),
  accepted: Type.Optional(Int('Import: lines stored.')),
  repeated: Type.Optional(
    Int('Import: how many of the accepted lines were stored before with the same unique value.'),
  ),
  rejected: Type.Optional(Int('Import: lines refused; the file has the reasons of each.')),
  arrived: Type.Optional(
    Named(
      {
        title: 'ArrivedFile',
        description: 'Import: how much of the file has arrived, until all its lines are counted.',
      },
      { bytes: Type.Integer(), size: Type.Optional(Int('Bytes of the file, if they are known.')) },
    ),
  ),
  createdAt: DateTime(),
  createdBy: Type.Optional(Text('Erasure: username of who asked.')),
  startedAt: Type.Optional(DateTime()),
  finishedAt: Type.Optional(DateTime()),
  expiresAt: Type.Optional(DateTime('When the job and its file are removed.')),
  error: Type.Optional(Text('Why the job failed.')),
  result: Type.Optional(
    Type.Union([
      RehearsalResult,
      ReplayAnswer,
      DeletionResult,
      ErasureResult,
      UniqueResult,
      VerificationResult,
      ArchiveResult,
    ]),
  ),
  to: Type.Optional(Place),
  file: Type.Optional(JobFile),
  columns: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Columns of the file, in order. With `arrays=rows`: those of each table, after the name of its file, such as `items.csv:index`. Absent in lists.',
    }),
  ),
  versions: Type.Optional(
    Type.Array(Type.Integer(), {
      description:
        'Versions of the schema that the columns of an export are for, where there are several. Absent in lists.',
    }),
  ),
  schema: Type.Optional(
    Text(
      'The JSON Schema in force, as it was sent; of a rehearsal the one that was proposed. Absent in lists.',
    ),
  ),
});

const waiting = (kind: JobAnswer['kind']): JobAnswer => ({
  id: '66f1c2a4e8b5d70912345678',
  kind,
  state: 'waiting',
  progress: { done: 0, total: 2 },
  createdAt: '2026-11-21T04:00:00.000Z',
  ...(kind === 'erasure' && { createdBy: 'ada' }),
  ...(kind === 'export' && { format: 'csv', asked: { filter: '{"/place":{"eq":"Oslo"}}' } }),
  ...(kind === 'import' && { format: 'ndjson', accepted: 0, rejected: 0 }),
});

const completed = (kind: JobAnswer['kind']): JobAnswer => ({
  ...waiting(kind),
  state: 'completed',
  progress: { done: 2, total: 2 },
  startedAt: '2026-11-21T04:00:00.250Z',
  finishedAt: '2026-11-21T04:00:01.000Z',
  ...(kind === 'import' && { accepted: 2, rejected: 0 }),
  ...(kind in exampleResults && { result: exampleResults[kind as keyof typeof exampleResults] }),
  ...(kind !== 'replay' &&
    kind !== 'deletion' &&
    kind !== 'erasure' &&
    kind !== 'unique' &&
    kind !== 'archive' &&
    kind !== 'verification' && {
      file: {
        url: `/api/applications/weather-station-k3v9q2/${kind}s/66f1c2a4e8b5d70912345678/file`,
        name: `weather-station-k3v9q2-${kind === 'export' ? '' : `${kind}-`}20261121T040000Z.${kind === 'export' ? 'csv' : 'ndjson'}`,
        ...(kind === 'import'
          ? { bytes: 0, rows: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
          : {
              bytes: 91,
              rows: 2,
              sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
            }),
      },
    }),
});

export const jobExamples = { waiting, completed };

export type JobAnswer = Static<typeof JobAnswer>;
