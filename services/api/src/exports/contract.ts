import { arrays, exportFormats } from '@sluice/jobs/record/export-record.ts';
import { metaNames } from '@sluice/tables/columns.ts';
import { formulas } from '@sluice/tables/csv/cell-json.ts';
import Type, { type Static } from 'typebox';
import { BodyFilter } from '../http/filter.ts';
import { aboutSender, MetaOf } from '../http/meta.ts';
import { KeyId, Query, Strict, Text, Timestamp } from '../http/schemas.ts';
import { TargetBody } from '../http/target.ts';

const Format = Type.Enum([...exportFormats], {
  title: 'ExportFormat',
  default: 'csv',
  description:
    '`csv`: one column per leaf property. `ndjson`: one line `{"createdAt":…,"payload":{…}}` per entry. `parquet`: typed columns, nested as in the schema.',
});
const Formulas = Type.Enum([...formulas], {
  title: 'Formulas',
  default: 'escape',
  description:
    "CSV only. `escape` puts a ' before strings that a spreadsheet would run as a formula: those that begin with = + - @, tab or CR, also after spaces or further '.",
});
const Arrays = Type.Enum([...arrays], {
  title: 'ExportArrays',
  default: 'json',
  description:
    'Arrays in CSV. `json`: as JSON text. `columns`: one column per element, such as `tags.0` or `items.0.name`. `rows`: a ZIP with `entries.csv` and one table per array of objects, such as `items.csv`; its column `entry` is the id of the entry, and `index` the place of the element. `columns` reads all entries twice; `rows` reads them once more for each table.',
});

/** Shared by the query of a streamed export and the body of an export job. */
const common = {
  format: Type.Optional(Format),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  formulas: Type.Optional(Formulas),
  arrays: Type.Optional(Arrays),
  key: Type.Optional(KeyId),
};

const aboutMeta = `Columns beside those of the payload, behind \`createdAt\`. \`id\` is that of the entry, \`schema_version\` the version that it was validated with. ${aboutSender} NDJSON has \`id\` in any case.`;

export const ExportQuery = Query({
  ...common,
  columns: Type.String({
    minLength: 1,
    description:
      'Names of columns, separated by commas; default: all. With `arrays=columns` name whole arrays: `tags` stands for all its elements. Not allowed with `arrays=rows`.',
  }),
  meta: MetaOf(metaNames, aboutMeta),
  filter: Text('Conditions on payloads, as in the list of entries: JSON.'),
});

export const ExportRequest = Strict(
  { title: 'ExportRequest', examples: [{ format: 'csv', columns: ['createdAt', 'celsius'] }] },
  {
    ...common,
    to: Type.Optional(
      Type.Union([Timestamp, TargetBody], {
        description:
          'A time: only entries before it, as `before`. A place: a bucket, or the folder of the operator, gets the file as one object. This needs the right of the owner.',
      }),
    ),
    before: Type.Optional(
      Type.String({
        ...Timestamp,
        description: 'Only entries before this time; for exports whose `to` is a place.',
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 5_000,
        description:
          'Names of columns; default: all. With `arrays=columns` name whole arrays: `tags` stands for all its elements. Not allowed with `arrays=rows`.',
      }),
    ),
    meta: Type.Optional(
      Type.Array(Type.Enum([...metaNames], { title: 'ExportMeta' }), {
        uniqueItems: true,
        maxItems: metaNames.length,
        description: aboutMeta,
      }),
    ),
    filter: Type.Optional(BodyFilter),
  },
);

export type ExportQuery = Static<typeof ExportQuery>;
export type ExportRequest = Static<typeof ExportRequest>;
