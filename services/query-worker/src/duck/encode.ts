import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBResult,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import { identifier, quoted } from '@sluice/shared/sql-text.ts';
import { disarm } from '@sluice/tables/csv/cell-json.ts';
import { stringify } from 'csv-stringify/sync';
import { limits } from './ask.ts';
import type { AnswerBody, Question } from './question.ts';

/** Numbers that a double cannot hold are written with all their digits. */
const exact = new Set<number>([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.DECIMAL,
]);
const times = new Set<number>([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);

const rawJson = (JSON as unknown as { rawJSON(text: string): Json }).rawJSON;

/** `2024-05-01 10:00:00.5+00` as `2024-05-01T10:00:00.5Z`. */
const toIso = (text: string) => text.replace(' ', 'T').replace(/\+00$/, 'Z');

const toJson: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (value === null) return null;
  if (exact.has(type.typeId)) return rawJson(String(value));
  if (times.has(type.typeId)) return toIso(String(value));
  return JsonDuckDBValueConverter(value, type, converter);
};

interface Column {
  name: string;
  type: string;
}

/** Reads rows up to the limits, and writes them in the format of the question. */
export async function encode(
  connection: DuckDBConnection,
  result: DuckDBResult,
  { format, folder, asOf }: Pick<Question, 'format' | 'folder' | 'asOf'>,
): Promise<AnswerBody> {
  const columns = result.columnNames().map((name, at) => ({ name, type: String(result.columnType(at)) }));
  if (format === 'parquet') return toParquet(connection, result, columns, folder);
  const lines: string[] = [];
  let bytes = 0;
  let truncated = false;
  const names = result.deduplicatedColumnNames();
  for (
    let chunk = await result.fetchChunk();
    chunk?.rowCount && !truncated;
    chunk = await result.fetchChunk()
  )
    for (const row of chunk.convertRows(toJson)) {
      const line =
        format === 'csv' ? csvLine(row) : JSON.stringify(format === 'json' ? row : toObject(names, row));
      bytes += Buffer.byteLength(line) + 1;
      truncated = lines.length === limits.rows || bytes > limits.bytes;
      if (truncated) break;
      lines.push(line);
    }
  const body = bodyOf(format, columns, lines, { as_of: asOf ?? null, truncated });
  return { body: Buffer.from(body), rows: lines.length, truncated };
}

function bodyOf(format: Question['format'], columns: Column[], lines: string[], about: object): string {
  if (format === 'json')
    return `{"columns":${JSON.stringify(columns)},"rows":[${lines.join(',')}],${JSON.stringify(about).slice(1)}`;
  if (format === 'csv') return csvLine(columns.map(({ name }) => name)) + lines.join('');
  return lines.map((line) => `${line}\n`).join('');
}

const toObject = (names: string[], row: (Json | null)[]) =>
  Object.fromEntries(names.map((name, at) => [name, row[at]]));

const csvLine = (row: (Json | null)[]): string => stringify([row.map(csvCell)], { record_delimiter: '\r\n' });

/** A spreadsheet would run some texts as formulas. */
const csvCell = (value: Json | null): string | null => {
  if (value === null) return null;
  return typeof value === 'string' ? disarm(value) : JSON.stringify(value);
};

async function toParquet(
  connection: DuckDBConnection,
  result: DuckDBResult,
  columns: Column[],
  folder: string,
): Promise<AnswerBody> {
  const names = result.deduplicatedColumnNames();
  const types = result.columnTypes();
  // Another statement ends the stream, so all is read first.
  const parts: DuckDBDataChunk[] = [];
  let rows = 0;
  let truncated = false;
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    const all = chunk.getRows().slice(0, limits.rows - rows);
    truncated = all.length < chunk.rowCount;
    rows += all.length;
    const part = DuckDBDataChunk.create(types, all.length);
    part.setRows(all);
    parts.push(part);
    if (truncated) break;
  }
  const fields = names.map((name, at) => `${identifier(name)} ${columns[at]?.type}`);
  await connection.run(`create table answer (${fields.join(', ')})`);
  const appender = await connection.createAppender('answer');
  for (const part of parts) appender.appendDataChunk(part);
  appender.closeSync();
  const path = join(folder, 'answer.parquet');
  await connection.run(`copy answer to ${quoted(path)} (format parquet, compression zstd)`);
  return { body: await readFile(path), rows, truncated };
}
