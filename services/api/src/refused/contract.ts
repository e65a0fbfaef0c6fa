import { errorNames } from '@sluice/shared/errors.ts';
import { refusedReasons } from '@sluice/store/refused/refused-records.ts';
import Type, { type Static } from 'typebox';
import {
  Bool,
  DateTime,
  Detail,
  Flag,
  Int,
  JsonSchema,
  KeyId,
  Named,
  Pagination,
  Query,
  Strict,
  Text,
  Timestamp,
} from '../http/schemas.ts';

const path = Text('Where in the payload, as a JSON Pointer: of the first thing that was wrong.', '/celsius');
const keyword = Text('The rule that it broke.', 'type');
const property = 'The member that is missing, or must not be there, where the rule names one.';
const Reason = Type.Enum([...refusedReasons], {
  title: 'RefusedReason',
  description:
    '`schema`: it does not conform. `not_json`, `too_large`: it was not validated. `duplicate`: another payload is stored with its unique value. Only the first can be replayed.',
  examples: ['schema'],
});
const Payload = Type.Unknown({
  description:
    'What was sent. A string with the beginning of its text, where it is cut off, not JSON or too large; bytes that are not UTF-8 are U+FFFD.',
  examples: [{ celsius: 'warm' }],
});
const Truncated = Bool('Whether the payload is cut off.', false);
const Source = Type.Enum(['upload', 'batch', 'import'], { title: 'RefusedSource', examples: ['upload'] });

export const RefusedAnswer = Named('RefusedUpload', {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  received_at: DateTime(),
  source: Source,
  line: Type.Optional(Int('Of a batch or an import, from 1.')),
  reason: Reason,
  schema_version: Int('The version of the schema in force then.', 1),
  error: Named(
    { title: 'RefusedError', description: 'What the client was told.' },
    {
      name: Type.Enum([...errorNames], { title: 'ErrorName', examples: ['SchemaValidationError'] }),
      message: Type.String({
        examples: ['the payload does not conform to the schema of weather-station-k3v9q2'],
      }),
      details: Type.Array(Detail),
    },
  ),
  key: Type.Optional(Text('Id of the ingest key with which it came.')),
  network: Type.Optional(Text('The network from which it came.', '192.0.2.0/24')),
  payload: Payload,
  truncated: Truncated,
});

export const RefusedPage = Named('RefusedPage', {
  result: Type.Array(RefusedAnswer),
  pagination: Pagination,
});

const period = { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp) };
const ofKey = { key: Type.Optional(KeyId) };
const selection = {
  reason: Type.Optional(Reason),
  path: Type.Optional(path),
  keyword: Type.Optional(keyword),
  property: Type.Optional(Text(`${property} Empty: it names none.`)),
  ...period,
  ...ofKey,
};

export const RefusedSelectionQuery = Query(selection);

export const RefusedQuery = Query({
  start: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Index of the first.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Uploads per page.' }),
  after: Text('`pagination.cursor` of the previous page.'),
  ...selection,
});

export const RefusedGroupsQuery = Query({ ...period, ...ofKey });

export const RefusedGroupAnswer = Named('RefusedGroup', {
  reason: Reason,
  path,
  keyword,
  property: Type.Optional(Text(property)),
  message: Type.String({ examples: ['must be number'] }),
  count: Int('How many were refused, exactly; with `key`, how many are kept.', 1),
  kept: Int('How many of them are kept.', 1),
  dismissed: Bool('Whether it was dismissed, and nothing of it was refused since.', false),
  first_at: DateTime(),
  last_at: DateTime(),
  last_day: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'How many were refused in each of the last 24 hours, oldest first. Absent with `key`.',
      examples: [[...Array(23).fill(0), 1]],
    }),
  ),
  example: Type.Optional(
    Type.Unknown({
      description:
        'The payload of the newest that is kept; the beginning of its JSON text, if that has more than 4 KiB.',
      examples: [{ celsius: 'warm' }],
    }),
  ),
});

const Range = (title: string, description: string) =>
  Type.Optional(Named({ title, description }, { min: Type.Number(), max: Type.Number() }));

export const RefusedValues = Named('RefusedValues', {
  read: Int('How many uploads were read: the newest.', 2),
  missing: Int('How many of them have nothing at the place.', 0),
  distinct: Int('How many values differ.', 1),
  values: Type.Array(
    Named('RefusedValue', {
      value: Type.Unknown({
        description:
          'The value; a string with the beginning of its JSON text and `…`, if that has more than 200 characters.',
        examples: ['warm'],
      }),
      count: Int('How many uploads have it.', 2),
    }),
    {
      description:
        'The 100 most frequent, most frequent first. Uploads that are cut off, not JSON or too large have none.',
    },
  ),
  numbers: Range('RefusedNumbers', 'Of the values that are numbers.'),
  sizes: Range(
    'RefusedSizes',
    'Characters of the values that are strings, elements of those that are arrays.',
  ),
  members: Type.Array(
    Named('RefusedMember', {
      name: Type.String({ examples: ['celsius'] }),
      count: Int('How many uploads have it.', 2),
    }),
    { description: 'With `property`: the members beside it, at most 50.' },
  ),
  senders: Type.Array(
    Named('RefusedSender', {
      key: Type.Optional(Text('Id of the ingest key.')),
      network: Type.Optional(Text('The network of uploads without a key.', '192.0.2.0/24')),
      count: Int('How many uploads it sent.', 2),
    }),
    { description: 'The 20 that sent most.' },
  ),
});

export const RefusedGroupUpdate = Strict(
  { title: 'RefusedGroupUpdate', examples: [{ path: '/celsius', keyword: 'type', dismissed: true }] },
  {
    path: Type.String({ maxLength: 4_096, description: 'That of the group.', examples: ['/celsius'] }),
    keyword: Type.String({ maxLength: 256, description: 'That of the group.', examples: ['type'] }),
    property: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'That of the group, if it has one.' }),
    ),
    dismissed: Bool('Whether to dismiss the group, or to open it again.', true),
  },
);

const list = (description: string, items: object, examples: unknown[]) =>
  // The route turns an array into its JSON text.
  Type.Unsafe<string>({
    description,
    anyOf: [
      { type: 'array', items },
      { type: 'string', maxLength: 65_536 },
    ],
    examples,
  });

/** Only for the description: the route parses the text of the list itself. */
const PatchOperation = Named(
  { title: 'PatchOperation', additionalProperties: true },
  { op: Type.String(), path: Type.String() },
);
const Coercion = Named({ title: 'Coercion', additionalProperties: true }, { path: Type.String() });

export const ReplayRequest = Strict(
  { title: 'ReplayRequest', examples: [{ coerce: [{ path: '/celsius', to: 'number' }] }] },
  {
    ids: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{24}$', description: 'Must be an id from the list.' }), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Ids of refused uploads.',
      }),
    ),
    ...selection,
    patch: Type.Optional(
      list(
        'A JSON Patch (RFC 6902), or its JSON text: at most 100 operations. Where one cannot be applied, the upload stays as it is.',
        PatchOperation,
        [[{ op: 'move', from: '/temp', path: '/celsius' }]],
      ),
    ),
    coerce: Type.Optional(
      list(
        'Named changes, or their JSON text, at most 100: `{path, to}` converts a value that is there to a `number`, `integer`, `boolean` or `string`, or trims it (`trim`); with `decimal` and `unit`, a `number` is read as people write it; with `order`, a `date`. ' +
          '`{path, divide}` divides a number by a power of ten. `{path, if, set}` replaces a value, `{path, if, remove: true}` removes it. `{path, default}` sets one that is missing.',
        Coercion,
        [[{ path: '/celsius', to: 'number' }]],
      ),
    ),
    schema: Type.Optional(JsonSchema),
  },
);

export const ReplayQuery = Query({
  dry_run: Flag('Say what would be stored; store nothing.'),
});

export const ReplayPairs = Named('ReplayPairs', {
  checked: Int('How many were validated: the oldest, at most 1,000, and within two seconds.', 2),
  conforming: Int('How many of them conform.', 2),
  pairs: Type.Array(
    Named('ReplayPair', {
      before: Payload,
      after: Type.Unknown({
        description: 'The payload after the changes.',
        examples: [{ celsius: 21.5 }],
      }),
      ok: Bool('Whether it conforms then.', true),
      error: Type.Optional(
        Named(
          { title: 'ReplayError', description: 'Why it does not.' },
          {
            name: Type.Optional(Type.String()),
            message: Type.String(),
            details: Type.Optional(Type.Array(Detail)),
          },
        ),
      ),
    }),
  ),
});

export type RefusedAnswer = Static<typeof RefusedAnswer>;
export type RefusedGroupAnswer = Static<typeof RefusedGroupAnswer>;
