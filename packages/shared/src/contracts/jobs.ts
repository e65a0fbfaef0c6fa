import Type, { type Static } from 'typebox';
import { Timestamp } from './entries.ts';

export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

const strict = { additionalProperties: false };
const Format = Type.Enum(['csv'], { default: 'csv' });
const Formulas = Type.Enum(['escape', 'raw'], {
  default: 'escape',
  description:
    "`escape` puts a ' before strings that a spreadsheet would run: = + - @, also behind white space, and tab, CR.",
});

/** What an export shall contain; the same for both ways to ask for one. */
const common = {
  format: Type.Optional(Format),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  formulas: Type.Optional(Formulas),
};

export const ExportQuery = Type.Object(
  {
    ...common,
    columns: Type.Optional(
      Type.String({ minLength: 1, description: 'Names of columns, separated by commas; default: all.' }),
    ),
  },
  strict,
);

export const ExportRequest = Type.Object(
  {
    ...common,
    columns: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 5_000 })),
  },
  strict,
);

export const Job = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  state: Type.Enum([...jobStates]),
  progress: Type.Object({ done: Type.Integer(), total: Type.Integer() }, { description: 'Entries.' }),
  createdAt: Type.String({ format: 'date-time' }),
  startedAt: Type.Optional(Type.String({ format: 'date-time' })),
  finishedAt: Type.Optional(Type.String({ format: 'date-time' })),
  error: Type.Optional(Type.String()),
  file: Type.Optional(Type.Object({ url: Type.String(), bytes: Type.Integer() })),
});

export type ExportQuery = Static<typeof ExportQuery>;
export type ExportRequest = Static<typeof ExportRequest>;
export type Job = Static<typeof Job>;
