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
    { from: '2026-11-21T04:00', filter: '{"a":1}', meta: ['id'], escapesFormulas: false },
    {
      ...{ format: 'csv', arrays: 'json', formulas: 'raw', filter: '{"a":1}', meta: ['id'] },
      from: new Date(2026, 10, 21, 4).toISOString(),
    },
  ],
])('asks for what was chosen and means something: %o', (choices, request) => {
  expect(toExportRequest({ ...noChoices, ...choices })).toEqual(request);
});
