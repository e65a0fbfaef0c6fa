import Type, { type Static } from 'typebox';

const strict = { additionalProperties: false };

export const Connector = Type.Object(
  {
    package_url: Type.String({
      format: 'package-url',
      maxLength: 2_000,
      description:
        'An http or https URL; kept as browsers write it, such as `https://example.com/` for `HTTPS://Example.com`.',
    }),
    language: Type.String({ minLength: 1, maxLength: 40 }),
  },
  strict,
);
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Must not be blank.',
});
const ApplicationType = Type.Enum(['mobile', 'web', 'server', 'desktop', 'other']);
const Connectors = Type.Array(Connector, { maxItems: 50 });
const KeyRequired = Type.Boolean({ description: 'Whether uploads need one of its ingest keys.' });
const AllowedOrigins = Type.Array(
  Type.String({ format: 'origin', maxLength: 300, examples: ['https://example.com'] }),
  {
    maxItems: 50,
    description:
      'Origins whose pages may upload. Where there are any, uploads from pages of others are refused.',
  },
);

export const NewApplication = Type.Object(
  {
    name: Name,
    type: ApplicationType,
    // Where an object is sent, `textOf` of the route puts its JSON text in its place.
    schema: Type.Unsafe<string>({
      type: ['object', 'string'],
      description: 'A JSON Schema, or its JSON text; its root type is object.',
      examples: [
        { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
        '{"type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"]}',
      ],
    }),
    connectors: Type.Optional(Connectors),
  },
  strict,
);

export const ApplicationUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    type: Type.Optional(ApplicationType),
    connectors: Type.Optional(Connectors),
    key_required: Type.Optional(KeyRequired),
    allowed_origins: Type.Optional(AllowedOrigins),
  },
  strict,
);

export const ApplicationsQuery = Type.Object(
  {
    start: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Index of the first application.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many at most; without it, all.' }),
    ),
  },
  strict,
);

export const Application = Type.Object({
  name: Type.String(),
  owner: Type.String({ description: 'Username of the owner.' }),
  domain: Type.String({ description: 'Names the application in every path; never used again.' }),
  type: Type.String(),
  connectors: Type.Array(Connector),
  key_required: KeyRequired,
  allowed_origins: AllowedOrigins,
  template: Type.Object({
    raw_schema: Type.String({ description: 'The schema as JSON text, byte for byte as it was sent.' }),
    schema: Type.Unknown({ description: 'The schema, parsed.' }),
  }),
  createdAt: Type.String({ format: 'date-time' }),
  lastModifiedAt: Type.String({ format: 'date-time' }),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'In the answer to a creation: keywords of the schema that are probably misspelt.',
    }),
  ),
});

export type Connector = Static<typeof Connector>;
export type NewApplication = Static<typeof NewApplication>;
export type ApplicationUpdate = Static<typeof ApplicationUpdate>;
export type Application = Static<typeof Application>;
