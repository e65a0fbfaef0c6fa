import { roles } from '@sluice/store/applications/application-document.ts';
import Type, { type Static } from 'typebox';
import { ArchivedBefore } from '../http/archived-before.ts';
import {
  Bool,
  DateTime,
  exampleSchema,
  exampleSchemaText,
  Flag,
  Int,
  JsonSchema,
  Name,
  Named,
  Query,
  Strict,
  Text,
} from '../http/schemas.ts';

export const Connector = Strict(
  {
    title: 'Connector',
    description: 'A client library of the application.',
    examples: [{ package_url: 'https://www.npmjs.com/package/weather', language: 'TypeScript' }],
  },
  {
    package_url: Type.String({
      format: 'package-url',
      maxLength: 2_000,
      description:
        'An http or https URL; kept as browsers write it, such as `https://example.com/` for `HTTPS://Example.com`.',
    }),
    language: Type.String({ minLength: 1, maxLength: 40, description: 'Its programming language.' }),
  },
);
const ApplicationType = Type.Enum(['mobile', 'web', 'server', 'desktop', 'other'], {
  title: 'ApplicationType',
  description: 'What kind of program uploads.',
  examples: ['server'],
});
const refusedSettings = {
  keep: Bool('Whether refused uploads are kept.', true),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'How many are kept; the oldest go first.',
    examples: [10_000],
  }),
  days: Type.Integer({
    minimum: 1,
    maximum: 365,
    description: 'After so many days they are removed.',
    examples: [30],
  }),
};

const RefusedSettings = Named(
  { title: 'RefusedSettings', description: 'Which refused uploads are kept for the owner.' },
  refusedSettings,
);
const RefusedSettingsUpdate = Type.Partial(Type.Object(refusedSettings), {
  additionalProperties: false,
  title: 'RefusedSettingsUpdate',
  description: 'Settings that are left out stay as they are.',
});

const Connectors = Type.Array(Connector, { maxItems: 50 });
const KeyRequired = Bool('Whether uploads need one of its ingest keys.', false);
const AllowedOrigins = Type.Array(
  Type.String({ format: 'origin', maxLength: 300, examples: ['https://example.com'] }),
  {
    maxItems: 50,
    description:
      'Origins whose pages may upload. Where there are any, uploads from pages of others are refused.',
  },
);

const RetentionDays = Type.Union([Type.Integer({ minimum: 1, maximum: 3_650 }), Type.Null()], {
  description: 'Entries that are older, in days, are deleted; `null`: none are.',
  examples: [30],
});

const RetentionArchive = Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
  description:
    'Id of an archive of the format ndjson, from the beginning: entries older than `retention_days` go only once all archives have them, and exports read both. `null`: they are deleted for good. It cannot change once entries are in it alone.',
  examples: [null],
});
export const uniquePath = Type.String({
  pattern: '^(/([^/~]|~[01])*)+$',
  maxLength: 250,
  description: 'JSON Pointer to a member that the schema requires: a string, a number or a boolean.',
  examples: ['/event_id'],
});
const unique = {
  path: uniquePath,
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      description: 'A value is free again when its entry is so old, in days; absent: never.',
      examples: [30],
    }),
  ),
};
const aboutUnique =
  'One entry is stored for each value of this member, whichever way uploads come. `null`: any number. A job gives stored entries their values when it is set.';
const ofUnique = { description: aboutUnique, examples: [null] };
const Unique = Type.Union([Named('Unique', unique), Type.Null()], ofUnique);
const UniqueUpdate = Type.Union([Strict('UniqueUpdate', unique), Type.Null()], ofUnique);

export const Template = Named(
  { title: 'Template', description: 'The JSON Schema to which uploads must conform.' },
  {
    version: Int('Of the schema, from 1.', 1),
    raw_schema: Text(
      'The schema as JSON text, as it was sent, but without a byte order mark.',
      exampleSchemaText,
    ),
    schema: Type.Unknown({ description: 'The schema, parsed.', examples: [exampleSchema] }),
  },
);

export const NewApplication = Strict('NewApplication', {
  name: Name,
  type: ApplicationType,
  schema: JsonSchema,
  connectors: Type.Optional(Connectors),
  unique: Type.Optional(UniqueUpdate),
});

export const ApplicationUpdate = Strict(
  {
    title: 'ApplicationUpdate',
    description: 'Fields that are left out stay as they are.',
    examples: [{ name: 'Weather station on the roof', key_required: false }],
  },
  {
    name: Type.Optional(Name),
    type: Type.Optional(ApplicationType),
    connectors: Type.Optional(Connectors),
    key_required: Type.Optional(KeyRequired),
    allowed_origins: Type.Optional(AllowedOrigins),
    retention_days: Type.Optional(RetentionDays),
    archive: Type.Optional(RetentionArchive),
    unique: Type.Optional(UniqueUpdate),
    refused: Type.Optional(RefusedSettingsUpdate),
  },
);

export const ApplicationsQuery = Query({
  start: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Index of the first application.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many at most; without it, all.' }),
  deleted: Flag('`true`: the deleted ones that you can restore.'),
  shared: Flag('`true`: those that others share with you.'),
});

export const ApplicationQuery = Query({ bytes: Flag('`true`: with `bytes`.') });

export const ApplicationAnswer = Named('Application', {
  name: Type.String({ examples: ['Weather station'] }),
  owner: Text('Username of the owner.', 'ada'),
  role: Type.Enum([...roles], {
    title: 'Role',
    description: 'What you may do with it.',
    examples: ['owner'],
  }),
  domain: Text('The name of the application in every path; never used again.', 'weather-station-k3v9q2'),
  type: Type.String({ examples: ['server'] }),
  connectors: Type.Array(Connector),
  key_required: KeyRequired,
  allowed_origins: AllowedOrigins,
  retention_days: RetentionDays,
  archive: RetentionArchive,
  archived_before: ArchivedBefore,
  unique: Unique,
  refused: RefusedSettings,
  template: Template,
  createdAt: DateTime(),
  lastModifiedAt: DateTime(),
  entries: Int('How many entries it has, exactly, without those that are in an archive alone.', 120),
  entries_24h: Int('How many entries of the last 24 hours it has.', 40),
  bytes: Type.Optional(
    Int('With `bytes=true`: the bytes of the payloads of all entries, before compression.'),
  ),
  last_entry_at: Type.Union([DateTime(), Type.Null()], {
    description: '`createdAt` of the newest entry; `null` if there is none.',
    examples: ['2026-11-21T04:00:00.000Z'],
  }),
  refused_24h: Int('How many uploads were refused in the last 24 hours.', 3),
  failing: Type.Optional(
    Named(
      { title: 'FailingParts', description: 'How many parts need somebody. Absent for readers.' },
      {
        webhooks: Int('Webhooks that Sluice gave up, or whose last delivery failed.', 0),
        archives: Int('Archives whose last run failed.', 0),
        jobs: Int('Jobs of the last 24 hours that failed.', 0),
      },
    ),
  ),
  deleted_at: Type.Optional(DateTime('In the list of deleted applications.')),
  purge_at: Type.Optional(DateTime('Until then it can be restored; then it is purged.')),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'In the answer to a creation: what is probably a slip in the schema. In the answer that turns `key_required` on: how many entries of the last hour came without a valid key. In the answer that sets `unique`: the job that gives stored entries their values.',
    }),
  ),
});

export type Connector = Static<typeof Connector>;
export type NewApplication = Static<typeof NewApplication>;
export type ApplicationUpdate = Static<typeof ApplicationUpdate>;
export type ApplicationAnswer = Static<typeof ApplicationAnswer>;
