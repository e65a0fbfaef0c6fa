import Type, { type Static } from 'typebox';
import { Timestamp } from './entries.ts';

export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

const strict = { additionalProperties: false };
export const Format = Type.Enum(['csv', 'ndjson', 'parquet'], {
  default: 'csv',
  description:
    '`csv`: a column for each leaf property. `ndjson`: a line `{"createdAt":…,"payload":{…}}` for each entry. `parquet`: columns with the types of the schema, nested as they are.',
});
export const Formulas = Type.Enum(['escape', 'raw'], {
  default: 'escape',
  description:
    "`escape` puts a ' before strings that a spreadsheet would run: = + - @, also behind white space or further ', and tab, CR.",
});
export const Arrays = Type.Enum(['json', 'columns', 'rows'], {
  default: 'json',
  description:
    'Arrays in CSV. `json`: as JSON text. `columns`: a column for each element, such as `tags.0` or `items.0.name`. `rows`: a ZIP with `entries.csv` and a table for each array of objects, such as `items.csv`, linked by `entry`, the id of the entry, and the index of the element. The columns of the last two are found by reading all entries once before; `rows` reads them once more for each table.',
});

/** What an export shall contain; the same for both ways to ask for one. */
const common = {
  format: Type.Optional(Format),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  formulas: Type.Optional(Formulas),
  arrays: Type.Optional(Arrays),
};

export const ExportQuery = Type.Object(
  {
    ...common,
    columns: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Names of columns, separated by commas; default: all. With `arrays=columns` those of whole arrays, such as `tags`, which stand for all elements. Not with `arrays=rows`.',
      }),
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

export const ImportQuery = Type.Object(
  {
    formulas: Type.Optional(
      Type.Enum(['escape', 'raw'], {
        default: 'escape',
        description: "CSV only. `escape` takes away the ' that an export put before formulas.",
      }),
    ),
  },
  strict,
);

const DateTime = Type.String({ format: 'date-time' });

const Manifest = {
  bytes: Type.Integer(),
  rows: Type.Integer({ description: 'Entries; in the report of an import: refused lines.' }),
  sha256: Type.String({ description: 'Of the file as it is without Content-Encoding.' }),
  firstCreatedAt: Type.Optional(DateTime),
  lastCreatedAt: Type.Optional(DateTime),
};

export const Job = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['export', 'import']),
  state: Type.Enum([...jobStates]),
  progress: Type.Object(
    {
      done: Type.Integer(),
      total: Type.Integer(),
      rate: Type.Optional(Type.Integer({ description: 'A second.' })),
      secondsLeft: Type.Optional(Type.Integer()),
    },
    { description: 'Entries of an export, lines of an import.' },
  ),
  accepted: Type.Optional(Type.Integer({ description: 'Lines of an import that are stored.' })),
  rejected: Type.Optional(
    Type.Integer({ description: 'Lines that are not, each with its reasons in the file.' }),
  ),
  createdAt: DateTime,
  startedAt: Type.Optional(DateTime),
  finishedAt: Type.Optional(DateTime),
  error: Type.Optional(Type.String()),
  file: Type.Optional(Type.Object({ url: Type.String(), ...Manifest })),
  columns: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Of the file, in its order. With `arrays=rows` those of each table in turn, behind the name of its file: `items.csv:index`. Of one job only, not in a list.',
    }),
  ),
  schema: Type.Optional(
    Type.String({
      description: 'The JSON Schema in force, as it was submitted. Of one job only, not in a list.',
    }),
  ),
});

export type Format = Static<typeof Format>;
export type Formulas = Static<typeof Formulas>;
export type Arrays = Static<typeof Arrays>;
export type ImportFormat = 'ndjson' | 'json' | 'csv';
export type ExportQuery = Static<typeof ExportQuery>;
export type ExportRequest = Static<typeof ExportRequest>;
export type Job = Static<typeof Job>;
