import type { SavedQuestion as Saved } from '@sluice/store/questions/saved-questions.ts';
import Type from 'typebox';
import { Bool, DateTime, Name, Named, Strict, Text } from '../http/schemas.ts';

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
        [
          Type.Array(Value, { maxItems: 100 }),
          Type.Record(Type.String(), Value, { title: 'QuestionParams', maxProperties: 100 }),
        ],
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

const sql = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'One SELECT over the view `entries`.',
  examples: ['select place, avg(celsius) from entries group by place'],
});

export const NewQuestion = Strict('NewQuestion', { name: Name, sql });

export const SavedQuestion = Named('SavedQuestion', {
  id: Text('Id of the question.', '66f1c2a4e8b5d70912345678'),
  name: Name,
  sql,
  createdAt: DateTime(),
  createdBy: Text('The user who saved it.', 'ada'),
});

export const toSavedQuestion = ({ createdAt, ...fields }: Saved) => ({
  ...fields,
  createdAt: createdAt.toISOString(),
});
