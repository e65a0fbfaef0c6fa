import { errorNames } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { StoredEntry } from '@sluice/store/entries/entry-document.ts';
import Type, { type Static } from 'typebox';
import { Bool, DateTime, Flag, Int, Named, Query, Strict, Text } from '../http/schemas.ts';

const Payload = Type.Unknown({
  description: 'The JSON object that was uploaded.',
  examples: [{ celsius: 21.5 }],
});
const Domain = Type.String({ examples: ['weather-station-k3v9q2'] });

/** An upload, or an element of a batch. Only for the description: the schema of the application checks uploads. */
export const NewEntry = Type.Object(
  {},
  {
    additionalProperties: true,
    title: 'NewEntry',
    description: 'A JSON object that conforms to the schema of the application.',
    examples: [{ celsius: 21.5 }],
  },
);

export const Upload = Named('Upload', { domain: Domain, payload: Payload });

export const Detail = Named('LineErrorDetail', {
  path: Text('Where in the payload: a JSON Pointer, such as `/address/city`.', '/celsius'),
  keyword: Text('The keyword of the schema.', 'type'),
  property: Type.Optional(Text('The member that is missing, or must not be there.')),
  message: Type.String({ examples: ['must be number'] }),
});

export const LineError = Named('LineError', {
  line: Int('Number of the line, or of the element of the array; the first is 1.', 2),
  name: Type.Enum([...errorNames], { title: 'ErrorName', examples: ['SchemaValidationError'] }),
  message: Type.String({ examples: ['/celsius must be number'] }),
  details: Type.Optional(Type.Array(Detail)),
});

export const BatchQuery = Query({
  atomic: Flag('Store all lines, or none when one is refused.'),
});

export const BatchResult = Named('BatchResult', {
  accepted: Int('Number of lines stored.', 2),
  rejected: Int('Number of lines refused.', 0),
  errors: Type.Array(LineError, { description: 'One error per refused line.', examples: [[]] }),
});

/** Example of an answer that names refused lines. */
export const partlyRefused = {
  accepted: 1,
  rejected: 1,
  errors: [
    {
      line: 2,
      name: 'SchemaValidationError',
      message: '/celsius must be number',
      details: [{ path: '/celsius', keyword: 'type', message: 'must be number' }],
    },
  ],
};

export const idempotencyKeyPattern = '^[\\x21-\\x7e]{1,128}$';

export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: idempotencyKeyPattern,
      description: 'Makes a retry safe: the same key with the same content is stored only once.',
    }),
  ),
});

export const EntryId = Type.String({
  pattern: '^[0-9a-f]{28}$',
  description: 'Id of the entry, unique in its application.',
  examples: ['0192f0c1a2b30a0b0c0d00000001'],
});

export const Entry = Named('Entry', {
  id: EntryId,
  domain: Domain,
  payload: Payload,
  createdAt: DateTime(),
  schema_version: Type.Optional(
    Int('Version of the schema with which it was validated; absent while there is only one.', 2),
  ),
  received_at: Type.Optional(DateTime('When it was refused first; only of entries from a replay.')),
});

export const Timestamp = Type.String({
  format: 'iso-timestamp',
  description: 'ISO 8601, such as 2026-11-21 or 2026-11-21T04:00:00.000Z; no zone means UTC.',
});

const Filter = Text(
  'JSON: conditions on payloads, all of which must be met, such as ' +
    '`{"celsius":{"gte":20,"lt":30},"address.city":{"in":["Oslo","Bergen"]},"note":{"exists":false},"ok":true}`. ' +
    'Operators: `eq` (also a bare value), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `exists`, `contains` (text, in capital or small letters). Dots lead into nested ' +
    'objects; where a key has dots, write a JSON Pointer (`/a.b`). Numbers compare with numbers and strings with ' +
    'strings, by code point; only `ne` and `exists` match a missing member; arrays are not searched. ' +
    'At most 20 conditions, 100 values in `in`, 100 characters in `contains`, 4 KB.',
);

export const EntriesQuery = Query({
  start: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    description: 'Index of the first entry.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Entries per page.' }),
  from: Timestamp,
  to: Timestamp,
  order: Type.Enum(['newest', 'oldest'], {
    title: 'EntriesOrder',
    default: 'newest',
    description: 'Which entries come first. `oldest` stops where later entries may still arrive.',
  }),
  after: Text('`pagination.cursor` of the previous page.'),
  filter: Filter,
});

/** The filter of a body. `textOf` of the route turns an object into its JSON text. */
export const BodyFilter = Type.Unsafe<string>({
  type: ['object', 'string'],
  description: 'Conditions on payloads, as in the list of entries: an object, or its JSON text.',
});

/** At least one property is needed. */
export const DeletionRequest = Strict(
  { title: 'DeletionRequest', examples: [{ to: '2026-11-21', filter: { celsius: { gte: 60 } } }] },
  { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp), filter: Type.Optional(BodyFilter) },
);

export const DeletionQuery = Query({
  dry_run: Flag('Count the entries that match; delete nothing.'),
});

export const DeletionCount = Named('DeletionCount', {
  count: Int('Number of entries that match.', 2),
});

export const Pagination = Named('Pagination', {
  limit: Int('Entries per page.', 100),
  current: Int('`start` of this page.', 0),
  previous: Int('`start` of the previous page.', 0),
  next: Int('`start` of the next page; of this page, if it is the last.', 0),
  total: Int('Number of entries on all pages.', 1),
  isLast: Bool('Whether this is the last page.', true),
  cursor: Type.Optional(
    Text(
      'Send it as `after` to get the next page; absent on the last page, except with `order=oldest`: there it leads to what comes later.',
    ),
  ),
});

export const EntryPage = Named('EntryPage', {
  result: Type.Array(Entry),
  pagination: Pagination,
});

export type DeletionRequest = Static<typeof DeletionRequest>;
export type EntriesQuery = Static<typeof EntriesQuery>;
export type Entry = Static<typeof Entry>;
export type EntryPage = Static<typeof EntryPage>;
export type BatchResult = Static<typeof BatchResult>;

/** An entry as its owner sees it. */
export const toEntry = (
  { id, payload, createdAt, version, receivedAt }: StoredEntry,
  application: Pick<ApplicationRecord, 'domain' | 'version'>,
): Entry => ({
  id,
  domain: application.domain,
  payload,
  createdAt: createdAt.toISOString(),
  ...(application.version > 1 && { schema_version: version }),
  ...(receivedAt && { received_at: receivedAt.toISOString() }),
});
