import { expect, it } from 'vitest';
import { type ExportChoices, noChoices, toExportRequest } from './export-request.ts';

it.each<[Partial<ExportChoices>, object]>([
  [{}, { format: 'csv', arrays: 'json', formulas: 'escape' }],
  [{ format: 'ndjson', arrays: 'rows', escapesFormulas: false }, { format: 'ndjson' }],
  [
    { format: 'parquet', columns: ['a'] },
    { format: 'parquet', columns: ['a'] },
  ],
  [
    { arrays: 'rows', columns: ['a'] },
    { format: 'csv', arrays: 'rows', formulas: 'escape' },
  ],
  [
    { meta: ['id'], escapesFormulas: false },
    { format: 'csv', arrays: 'json', formulas: 'raw', meta: ['id'] },
  ],
])('asks for what was chosen and means something: %o', (choices, request) => {
  expect(toExportRequest({ ...noChoices, ...choices })).toEqual(request);
});
