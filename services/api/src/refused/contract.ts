import { errorNames } from '@sluice/shared/errors.ts';
import Type, { type Static } from 'typebox';
import { Detail, Pagination, Timestamp } from '../entries/contract.ts';
import { Flag, Named, Query } from '../http/schemas.ts';

const strict = { additionalProperties: false };

const settings = {
  keep: Type.Boolean({ description: 'Whether refused uploads are kept.', examples: [true] }),
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

export const RefusedSettings = Type.Object(settings, {
  title: 'RefusedSettings',
  description: 'Which refused uploads are kept for the owner.',
});
export const RefusedSettingsUpdate = Type.Partial(Type.Object(settings), {
  ...strict,
  title: 'RefusedSettingsUpdate',
  description: 'Settings that are left out stay as they are.',
});

const path = Type.String({
  description: 'Where in the payload, as a JSON Pointer: of the first thing that was wrong.',
  examples: ['/celsius'],
});
const keyword = Type.String({ description: 'The rule that it broke.', examples: ['type'] });
const Payload = Type.Unknown({
  description: 'What was sent. Where it is cut off, the beginning of its JSON text, as a string.',
  examples: [{ celsius: 'warm' }],
});
const Truncated = Type.Boolean({ description: 'Whether the payload is cut off.', examples: [false] });
const Source = Type.Enum(['upload', 'batch', 'import'], { title: 'RefusedSource', examples: ['upload'] });

export const RefusedUpload = Named('RefusedUpload', {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  received_at: Type.String({ format: 'date-time' }),
  source: Source,
  line: Type.Optional(Type.Integer({ description: 'Of a batch or an import, from 1.' })),
  schema_version: Type.Integer({
    description: 'The version of the schema in force then.',
    examples: [1],
  }),
  error: Type.Object(
    {
      name: Type.Enum([...errorNames], { title: 'ErrorName', examples: ['SchemaValidationError'] }),
      message: Type.String({
        examples: ['the payload does not conform to the schema of weather-station-k3v9q2'],
      }),
      details: Type.Array(Detail),
    },
    { title: 'RefusedError', description: 'What the client was told.' },
  ),
  key: Type.Optional(Type.String({ description: 'Id of the ingest key with which it came.' })),
  network: Type.Optional(
    Type.String({ description: 'The network from which it came.', examples: ['192.0.2.0/24'] }),
  ),
  payload: Payload,
  truncated: Truncated,
});

export const RefusedPage = Named('RefusedPage', {
  result: Type.Array(RefusedUpload),
  pagination: Pagination,
});

const period = { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp) };
const selection = { path: Type.Optional(path), keyword: Type.Optional(keyword), ...period };

export const RefusedSelectionQuery = Type.Object(selection, strict);

export const RefusedQuery = Query({
  start: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Index of the first.' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Uploads per page.' }),
  after: Type.String({ description: '`pagination.cursor` of the previous page.' }),
  ...selection,
});

export const RefusedGroupsQuery = Type.Object(period, strict);

export const RefusedGroup = Named('RefusedGroup', {
  path,
  keyword,
  message: Type.String({ examples: ['must be number'] }),
  count: Type.Integer({ description: 'How many were refused, exactly.', examples: [1] }),
  kept: Type.Integer({ description: 'How many of them are kept.', examples: [1] }),
  first_at: Type.String({ format: 'date-time' }),
  last_at: Type.String({ format: 'date-time' }),
  example: Type.Optional(
    Type.Unknown({
      description:
        'The payload of the newest that is kept; the beginning of its JSON text, if that has more than 4 KiB.',
      examples: [{ celsius: 'warm' }],
    }),
  ),
});

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
const PatchOperation = Type.Object(
  { op: Type.String(), path: Type.String() },
  { title: 'PatchOperation', additionalProperties: true },
);
const Coercion = Type.Object({ path: Type.String() }, { title: 'Coercion', additionalProperties: true });

export const ReplayRequest = Type.Object(
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
        'Named changes, or their JSON text, at most 100: `{path, to}` converts a value that is there to a `number`, `integer`, `boolean` or `string`, or trims it (`trim`); `{path, default}` sets one that is missing.',
        Coercion,
        [[{ path: '/celsius', to: 'number' }]],
      ),
    ),
  },
  { ...strict, title: 'ReplayRequest', examples: [{ coerce: [{ path: '/celsius', to: 'number' }] }] },
);

export const ReplayQuery = Query({
  dry_run: Flag('Show the first ten; store nothing.'),
});

export const ReplayPairs = Named('ReplayPairs', {
  pairs: Type.Array(
    Named('ReplayPair', {
      before: Payload,
      after: Type.Unknown({
        description: 'The payload after the changes.',
        examples: [{ celsius: 21.5 }],
      }),
      ok: Type.Boolean({ description: 'Whether it conforms then.', examples: [true] }),
      error: Type.Optional(
        Type.Object(
          {
            name: Type.Optional(Type.String()),
            message: Type.String(),
            details: Type.Optional(Type.Array(Detail)),
          },
          { title: 'ReplayError', description: 'Why it does not.' },
        ),
      ),
    }),
  ),
});

export type RefusedSource = Static<typeof Source>;
export type RefusedUpload = Static<typeof RefusedUpload>;
export type RefusedGroup = Static<typeof RefusedGroup>;
