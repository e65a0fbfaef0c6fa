import type { Schemas } from '../../api/client.ts';

type ExportRequest = Schemas['ExportRequest'];

export interface ExportChoices {
  format: NonNullable<ExportRequest['format']>;
  columns: string[];
  meta: string[];
  arrays: NonNullable<ExportRequest['arrays']>;
  escapesFormulas: boolean;
}

export const noChoices: ExportChoices = {
  format: 'csv',
  columns: [],
  meta: [],
  arrays: 'json',
  escapesFormulas: true,
};

/** Leaves out choices that were not made: the API has its defaults. */
export function toExportRequest(choices: ExportChoices): ExportRequest {
  const { format, columns, meta, arrays, escapesFormulas } = choices;
  const isCsv = format === 'csv';
  const hasColumns = columns.length > 0 && !(isCsv && arrays === 'rows');
  return {
    format,
    ...(hasColumns && { columns }),
    ...(meta.length > 0 && { meta: meta as NonNullable<ExportRequest['meta']> }),
    ...(isCsv && { arrays, formulas: escapesFormulas ? 'escape' : 'raw' }),
  };
}
