import Type, { type TObjectOptions, type TProperties } from 'typebox';

type Title = string | (TObjectOptions & { title: string });

const titled = (title: Title) => (typeof title === 'string' ? { title } : title);

/** An object of an answer. Generated clients name its type `title`. */
export const Named = <Properties extends TProperties>(title: Title, properties: Properties) =>
  Type.Object(properties, titled(title));

/** An object of a request, which may have no other members. */
export const Strict = <Properties extends TProperties>(title: Title, properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, ...titled(title) });

/** The parameters of a query. All of them are optional. */
export const Query = <Properties extends TProperties>(properties: Properties) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false });

/** A parameter of a query that is false by default. */
export const Flag = (description: string) => Type.Boolean({ default: false, description });

const about = (description: string, example?: unknown) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
});

export const Text = (description: string, example?: string) => Type.String(about(description, example));
export const Int = (description: string, example?: number) => Type.Integer(about(description, example));
export const Bool = (description: string, example?: boolean) => Type.Boolean(about(description, example));
export const DateTime = (description?: string) =>
  Type.String({ format: 'date-time', ...(description && { description }) });

export const Timestamp = Type.String({
  format: 'iso-timestamp',
  description: 'ISO 8601, such as 2026-11-21 or 2026-11-21T04:00:00.000Z; no zone means UTC.',
});

export const idempotencyKeyPattern = '^[\\x21-\\x7e]{1,128}$';

export const KeyId = Type.String({
  pattern: '^[0-9a-f]{24}$',
  description: 'Must be the id of an ingest key. Only what came with that key is selected.',
  examples: ['66f1c2a4e8b5d70912345678'],
});

export const Detail = Named('LineErrorDetail', {
  path: Text('Where in the payload: a JSON Pointer, such as `/address/city`.', '/celsius'),
  keyword: Text('The keyword of the schema.', 'type'),
  property: Type.Optional(Text('The member that is missing, or must not be there.')),
  message: Type.String({ examples: ['must be number'] }),
});

/** What a schema refuses, by the key with which it was sent. */
export const RefusedByKey = Type.Array(
  Named('KeyRefusals', {
    key: Type.Union([Type.String(), Type.Null()], {
      description:
        'Id of the ingest key. Null: sent without a key, with a personal token, or by an import; and by keys beyond 100.',
      examples: ['66f1c2a4e8b5d70912345678'],
    }),
    // Without an example, as a publication has none of these.
    checked: Type.Integer(),
    refused: Int('How many of them do not conform.', 1),
    paths: Type.Array(Type.String(), {
      description: 'The JSON Pointers of the first faults, at most 5; most frequent first.',
      examples: [['/celsius']],
    }),
  }),
  { description: 'The same by ingest key; most refusals first. Absent in lists and events.' },
);

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

export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Must not be blank.',
  examples: ['Weather station'],
});

export const Payload = Type.Unknown({
  description: 'The JSON object that was uploaded.',
  examples: [{ celsius: 21.5 }],
});
export const Domain = Type.String({ examples: ['weather-station-k3v9q2'] });

export const exampleSchema = {
  type: 'object',
  properties: { celsius: { type: 'number' } },
  required: ['celsius'],
};
export const exampleSchemaText = JSON.stringify(exampleSchema);

/** `textOf` of the route replaces an object by its JSON text. */
export const JsonSchema = Type.Unsafe<string>({
  type: ['object', 'string'],
  title: 'JsonSchema',
  description: 'A JSON Schema, or its JSON text; its root type is object.',
  examples: [exampleSchema, exampleSchemaText],
});
