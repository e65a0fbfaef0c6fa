import Type, { type Static } from 'typebox';
import { errorNames } from '../errors.ts';

const Payload = Type.Unknown({ description: 'The JSON object that was uploaded.' });

export const Upload = Type.Object({ domain: Type.String(), payload: Payload });

const Detail = Type.Object({
  path: Type.String({ description: 'JSON Pointer.' }),
  keyword: Type.String(),
  message: Type.String(),
});

export const LineError = Type.Object({
  line: Type.Integer({ description: 'Line of the body, or element of the array, from 1.' }),
  name: Type.Enum([...errorNames]),
  message: Type.String(),
  details: Type.Optional(Type.Array(Detail)),
});

export const BatchQuery = Type.Object(
  {
    atomic: Type.Optional(
      Type.Boolean({ default: false, description: 'All lines or, when one is refused, none.' }),
    ),
  },
  { additionalProperties: false },
);

export const BatchResult = Type.Object({
  accepted: Type.Integer({ description: 'Lines that are stored.' }),
  rejected: Type.Integer(),
  errors: Type.Array(LineError, { description: 'One for each line that was refused, by line.' }),
});

export const idempotencyKeyPattern = '^[\\x21-\\x7e]{1,128}$';

export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: idempotencyKeyPattern,
      description: 'Makes a retry safe: the same key with the same content is stored once.',
    }),
  ),
});

export const Entry = Type.Object({
  domain: Type.String(),
  payload: Payload,
  createdAt: Type.String({ format: 'date-time' }),
});

export const Timestamp = Type.String({
  format: 'iso-timestamp',
  description: 'ISO 8601, such as 2026-11-21 or 2026-11-21T04:00:00.000Z; no zone means UTC.',
});

export const EntriesQuery = Type.Object(
  {
    start: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        default: 0,
        description: 'Index of the first entry.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    after: Type.Optional(Type.String({ description: '`pagination.cursor` of the page before.' })),
    filter: Type.Optional(
      Type.String({
        description:
          'JSON: conditions on payloads, all of which must be met, such as ' +
          '`{"celsius":{"gte":20,"lt":30},"address.city":{"in":["Oslo","Bergen"]},"note":{"exists":false},"ok":true}`. ' +
          'Operators: `eq` (also a bare value), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `exists`. Dots lead into nested ' +
          'objects; where a key has dots, write a JSON Pointer (`/a.b`). Numbers compare with numbers and strings with ' +
          'strings, by code point; only `ne` and `exists` match a missing member; arrays are not searched. ' +
          'At most 20 conditions, 100 values in `in`, 4 KB.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const EntryPage = Type.Object({
  result: Type.Array(Entry),
  pagination: Type.Object({
    limit: Type.Integer(),
    current: Type.Integer(),
    previous: Type.Integer(),
    next: Type.Integer(),
    total: Type.Integer(),
    isLast: Type.Boolean(),
    cursor: Type.Optional(
      Type.String({ description: 'Hand it in as `after` for the next page; absent on the last.' }),
    ),
  }),
});

export type EntriesQuery = Static<typeof EntriesQuery>;
export type EntryPage = Static<typeof EntryPage>;
export type BatchResult = Static<typeof BatchResult>;
