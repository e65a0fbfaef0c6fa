import { formulas } from '@sluice/tables/csv/cell-json.ts';
import Type from 'typebox';

const strict = { additionalProperties: false };

export const ImportQuery = Type.Object(
  {
    entries: Type.Optional(
      Type.Enum(['plain', 'wrapped'], {
        title: 'ImportEntries',
        default: 'plain',
        description:
          '`plain`: each object is a payload. `wrapped`: each is an entry of an NDJSON export, `{"createdAt":…,"payload":{…}}`, and keeps its `createdAt`; other members are ignored. Not with CSV.',
      }),
    ),
    formulas: Type.Optional(
      Type.Enum([...formulas], {
        title: 'Formulas',
        default: 'escape',
        description: "CSV only. `escape` removes the ' that an export put before formulas.",
      }),
    ),
  },
  strict,
);
