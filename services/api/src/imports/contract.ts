import { formulas } from '@sluice/tables/csv/cell-json.ts';
import Type from 'typebox';
import { Query } from '../http/schemas.ts';

export const ImportQuery = Query({
  entries: Type.Enum(['plain', 'wrapped'], {
    title: 'ImportEntries',
    default: 'plain',
    description:
      '`plain`: each object is a payload. `wrapped`: each is an entry of an NDJSON export, `{"createdAt":…,"payload":{…}}`, and keeps its `createdAt`; other members are ignored. Not with CSV.',
  }),
  formulas: Type.Enum([...formulas], {
    title: 'Formulas',
    default: 'escape',
    description: "CSV only. `escape` removes the ' that an export put before formulas.",
  }),
});
