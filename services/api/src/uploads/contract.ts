import { errorNames } from '@sluice/shared/errors.ts';
import Type, { type Static } from 'typebox';
import { Detail, Domain, Flag, Int, idempotencyKeyPattern, Named, Payload, Query } from '../http/schemas.ts';

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
  repeated: Type.Optional(
    Int('How many of these lines were stored before: the application has `unique`. Absent for none.'),
  ),
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

export const IdempotencyKey = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: idempotencyKeyPattern,
      description: 'Makes a retry safe: the same key with the same content is stored only once.',
    }),
  ),
});

export type BatchResult = Static<typeof BatchResult>;
