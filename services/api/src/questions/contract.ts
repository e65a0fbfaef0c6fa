import Type from 'typebox';
import { Bool, Named, Strict, Text } from '../http/schemas.ts';

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

export const QuestionRequest = Strict(
  {
    title: 'QuestionRequest',
    examples: [{ sql: 'select count(*), avg(celsius) from entries where celsius > $1', params: [20] }],
  },
  {
    sql: Type.String({
      minLength: 1,
      maxLength: 100_000,
      description: 'One SELECT over the view `entries`, in the SQL of DuckDB.',
    }),
    params: Type.Optional(
      Type.Union(
        [Type.Array(Value, { maxItems: 100 }), Type.Record(Type.String(), Value, { maxProperties: 100 })],
        { description: 'Values of `$1`, `$2`, or of `$name`.' },
      ),
    ),
  },
);

export const QuestionAnswer = Named('QuestionAnswer', {
  columns: Type.Array(
    Named('QuestionColumn', {
      name: Text('As in the question.', 'avg(celsius)'),
      type: Text('Type of DuckDB.', 'DOUBLE'),
    }),
  ),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    description: 'A list of values for each row, at most 10,000 rows and 16 MiB.',
    examples: [[[21.5]]],
  }),
  as_of: Type.Union([Type.String(), Type.Null()], {
    description: 'The answer holds every entry up to this time. Null: there is no entry.',
    examples: ['2026-05-01T10:00:00.000Z'],
  }),
  truncated: Bool('Whether there are more rows.', false),
});

export const answerTypes = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const;

export type AnswerType = keyof typeof answerTypes;
