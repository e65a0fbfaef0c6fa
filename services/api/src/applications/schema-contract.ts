import Type, { type Static } from 'typebox';
import {
  DateTime,
  Flag,
  Int,
  JsonSchema,
  Named,
  Query,
  RefusedByKey,
  Strict,
  Text,
} from '../http/schemas.ts';
import { ApplicationAnswer, Template } from './contract.ts';
import { mostEntries } from './judge-newest.ts';

const nextSchema = {
  type: 'object',
  properties: { celsius: { type: 'number' }, humidity: { type: 'integer' } },
  required: ['celsius'],
};
const Version = Int('From 1.', 2);
const Note = Type.String({ maxLength: 1_000, description: 'What it is for.', examples: ['Humidity'] });

export const VersionAnswer = Named('SchemaVersion', {
  ...Template.properties,
  version: Version,
  note: Type.Optional(Note),
  createdAt: DateTime(),
  createdBy: Text('Username.', 'ada'),
});

export const NewSchema = Strict(
  { title: 'NewSchema', examples: [{ schema: nextSchema, note: 'Humidity', if_version: 1 }] },
  {
    schema: JsonSchema,
    note: Type.Optional(Note),
    if_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The version that you have seen: where another one is in force, the answer is 409.',
        examples: [1],
      }),
    ),
  },
);

export const PublishQuery = Query({
  dry_run: Flag(
    `Tell what would change, and publish nothing. Where the schema may be stricter, it also validates the newest ${mostEntries.toLocaleString('en')} entries.`,
  ),
});

export const changeKinds = ['stricter', 'looser', 'added', 'removed', 'changed'] as const;

export const SchemaChange = Named('SchemaChange', {
  path: Text('Where in the payload: a JSON Pointer.', '/celsius'),
  kind: Type.Enum([...changeKinds], { title: 'SchemaChangeKind', examples: ['stricter'] }),
  message: Type.String({ examples: ['maximum 60 is new'] }),
});

const warningsText = 'What is probably a slip: misspelt keywords, and required names without a property.';

export const SchemaCheck = Named('SchemaCheck', {
  warnings: Type.Array(Type.String(), {
    description: warningsText,
    examples: [['/propertees is not a keyword; did you mean properties?']],
  }),
});

export const SchemaToCheck = Strict('SchemaToCheck', { schema: JsonSchema });

export const Publication = Named('Publication', {
  version: Type.Optional(Int('The version in force now; absent in a dry run.', 2)),
  changes: Type.Array(SchemaChange),
  application: Type.Optional(ApplicationAnswer),
  checked: Type.Optional(
    Int('Dry run: the newest entries that were validated. Slow schemas leave time for fewer.'),
  ),
  refused: Type.Optional(Int('How many of them do not conform.')),
  by_key: Type.Optional(RefusedByKey),
  warnings: Type.Optional(Type.Array(Type.String(), { description: warningsText })),
});

export type VersionAnswer = Static<typeof VersionAnswer>;
export type SchemaChange = Static<typeof SchemaChange>;
