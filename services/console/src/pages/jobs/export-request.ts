import type { Schemas } from '../../api/client.ts';

type ExportRequest = Schemas['ExportRequest'];

export interface ExportChoices {
  format: NonNullable<ExportRequest['format']>;
  /** Of `<input type="datetime-local">`, in the time zone of the reader. */
  from: string;
  to: string;
  columns: string[];
  meta: string[];
  arrays: NonNullable<ExportRequest['arrays']>;
  escapesFormulas: boolean;
  filter: string;
}

export const noChoices: ExportChoices = {
  format: 'csv',
  from: '',
  to: '',
  columns: [],
  meta: [],
  arrays: 'json',
  escapesFormulas: true,
  filter: '',
};

/** Leaves out choices that were not made: the API has its defaults. */
export function toExportRequest(choices: ExportChoices): ExportRequest {
  const { format, from, to, columns, meta, arrays, escapesFormulas, filter } = choices;
  const isCsv = format === 'csv';
  const hasColumns = columns.length > 0 && !(isCsv && arrays === 'rows');
  return {
    format,
    ...(from && { from: new Date(from).toISOString() }),
    ...(to && { to: new Date(to).toISOString() }),
    ...(hasColumns && { columns }),
    ...(meta.length > 0 && { meta: meta as NonNullable<ExportRequest['meta']> }),
    ...(isCsv && { arrays, formulas: escapesFormulas ? 'escape' : 'raw' }),
    ...(filter && { filter: filter as unknown as NonNullable<ExportRequest['filter']> }),
  };
}
