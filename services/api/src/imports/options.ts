import type { IncomingHttpHeaders } from 'node:http';
import type { ImportFormat } from '@sluice/jobs/record/job-records.ts';
import { MalformedText } from '@sluice/json/split.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import { type Formulas, formulas } from '@sluice/tables/csv/cell-json.ts';
import { isRenames, readRenames } from '@sluice/tables/csv/renames.ts';
import Type, { type Static } from 'typebox';
import { Query } from '../http/schemas.ts';

/** How the file of an import is read. */
export interface ImportRequest {
  format: ImportFormat;
  formulas: Formulas;
  isWrapped: boolean;
  /** Names of columns for a CSV without a header, or other names for those of a header. */
  columns: string | undefined;
  fileName: string | undefined;
}

const options = {
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
  columns: Type.String({
    minLength: 1,
    description:
      'CSV only. With a header: a JSON object of other names for columns, by those of the header, such as `{"Ort":"place","x":null}`; null leaves a column out. Without a header, `header=absent`: the names of the columns, separated by commas, as a header has them.',
    examples: ['{"Ort":"place","x":null}'],
  }),
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name of the file, by which you find the job again.',
    examples: ['weather.ndjson'],
  }),
};

export const ImportQuery = Query(options);

/** For files without a `Content-Type` of their own. */
export const SourceQuery = Query({
  format: Type.Enum(['ndjson', 'json', 'csv'], {
    title: 'ImportFormat',
    description:
      'Format of the file. Absent: as the name of the file ends, such as `.ndjson`, `.jsonl`, `.json`, `.csv` or `.csv.gz`.',
  }),
  header: Type.Enum(['present', 'absent'], {
    title: 'CsvHeader',
    default: 'present',
    description: 'CSV only: whether the first row has the names of the columns.',
  }),
  ...options,
});

const refuse = (message: string) => new ApiError('InvalidRequestError', `${message}; nothing was stored`);

/** Throws ApiError for options that do not go together. `header`: whether a CSV begins with the names of its columns. */
export function toImportRequest(
  query: Static<typeof ImportQuery>,
  { format, header = 'present' }: { format: ImportFormat; header: string | undefined },
): ImportRequest {
  const { columns, entries, formulas = 'escape', name } = query;
  if (header !== 'present' && header !== 'absent')
    throw refuse(`header=${header.slice(0, 40)} of Content-Type is neither present nor absent`);
  if (header === 'absent' && (columns === undefined || isRenames(columns)))
    throw refuse(
      'header=absent needs the names of the columns: add ?columns=a,b to the URL, or send a header',
    );
  if (columns !== undefined && format !== 'csv') throw refuse('columns is only for CSV');
  if (header === 'present' && columns !== undefined) checkRenames(columns);
  const isWrapped = entries === 'wrapped';
  if (isWrapped && format === 'csv') throw refuse('entries=wrapped is not for CSV: send an NDJSON export');
  return { format, formulas, isWrapped, columns, fileName: name };
}

const endings: Record<string, ImportFormat> = { ndjson: 'ndjson', jsonl: 'ndjson', json: 'json', csv: 'csv' };

function checkRenames(columns: string): void {
  if (!isRenames(columns))
    throw refuse(
      'the header has the names: columns must be a JSON object such as {"Ort":"place","x":null}; names separated by commas need header=absent',
    );
  try {
    readRenames(columns);
  } catch (error) {
    throw error instanceof MalformedText ? refuse(error.fault) : error;
  }
}

/** The same for a file that has a name at most. Throws ApiError. */
export function toSourceRequest(query: Static<typeof SourceQuery>, fileName = ''): ImportRequest {
  const [, ending = ''] = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(fileName) ?? [];
  const format = query.format ?? endings[ending.toLowerCase()];
  if (!format) throw refuse('the format is not known: add ?format=ndjson, json or csv to the URL');
  if (format !== 'csv' && query.header === 'absent') throw refuse('header=absent is only for CSV');
  const name = query.name ?? (fileName.slice(0, 255) || undefined);
  return toImportRequest({ ...query, ...(name && { name }) }, { format, header: query.header });
}

/** To ignore the header would let a client that trusts in it store a file twice. Throws ApiError. */
export function refuseIdempotencyKey(headers: IncomingHttpHeaders): void {
  if (headers['idempotency-key'] === undefined) return;
  const message = 'is not taken here: see in the list of imports whether one was taken; nothing was stored';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'unknown', message }],
  });
}
