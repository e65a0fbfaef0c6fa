import { join } from 'node:path';
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
} from '@duckdb/node-api';
import { quoted } from '@sluice/shared/sql-text.ts';
import { encode } from './encode.ts';
import { limits, type Question, type QuestionRefusal, type Reply } from './question.ts';

const list = (paths: string[]): string => `[${paths.map(quoted).join(', ')}]`;

/** The entries without deleted ones, which is all that a question sees. */
function viewOf({ files, deleted }: Pick<Question, 'files' | 'deleted'>): string {
  if (files.length === 0)
    return `select null::timestamptz "createdAt", null::varchar id, null::integer schema_version,
      null::varchar "source", null::varchar "key", null::varchar payload where false`;
  const all = `select * from read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false)`;
  return deleted.length === 0
    ? all
    : `${all} where id not in (select id from read_parquet(${list(deleted)}))`;
}

async function open({ folder, ...question }: Question): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: limits.memory,
    temp_directory: join(folder, 'spilled'),
    max_temp_directory_size: limits.disk,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  for (const sql of [
    "set TimeZone = 'UTC'",
    'set errors_as_json = true',
    `set allowed_paths = ${list([...question.files, ...question.deleted])}`,
    `set allowed_directories = ${list([folder])}`,
    'set enable_external_access = false',
    'set lock_configuration = true',
    `create view entries as ${viewOf(question)}`,
  ])
    await connection.run(sql);
  return connection;
}

/** Answers a question. Never rejects for what the question says. */
export async function answer(question: Question): Promise<Reply> {
  const connection = await open(question);
  try {
    const statement = await prepare(connection, question);
    if ('message' in statement) return { refusal: statement };
    const result = await statement.stream();
    return { answer: await encode(connection, result, question) };
  } catch (error) {
    return { refusal: toRefusal((error as Error).message, question.sql) };
  }
}

/** One SELECT, and nothing else. */
async function prepare(
  connection: DuckDBConnection,
  { sql, params }: Question,
): Promise<DuckDBPreparedStatement | QuestionRefusal> {
  const read = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [sql]);
  const parsed = JSON.parse(String(read.getRowsJson()[0]?.[0])) as Parsed;
  if (parsed.error)
    return parsed.error_type === 'parser'
      ? { message: String(parsed.error_message), ...placeOf(sql, parsed.position) }
      : { message: 'a question is one SELECT over the view entries' };
  if (parsed.statements?.length !== 1) return { message: 'a question is one SELECT; several were sent' };
  const statement = await connection.prepare(sql);
  // Whole numbers are integers.
  const names = Object.keys(params);
  const values = Array.isArray(params) ? params : names.map((name) => params[name]);
  const bound = values.map((value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value));
  const types = bound.map((value) => (typeof value === 'bigint' ? BIGINT : undefined));
  const named = (all: unknown[]) =>
    Array.isArray(params) ? all : Object.fromEntries(names.map((name, at) => [name, all[at]]));
  statement.bind(named(bound) as never, named(types) as never);
  return statement;
}

interface Parsed {
  error: boolean;
  error_type?: string;
  error_message?: string;
  position?: string;
  statements?: unknown[];
}

/** DuckDB's errors are JSON, some behind their kind. */
function toRefusal(message: string, sql: string): QuestionRefusal {
  const start = message.indexOf('{');
  try {
    const found = JSON.parse(message.slice(start)) as Record<string, string>;
    const refusal = { message: found.exception_message ?? message, ...placeOf(sql, found.position) };
    return found.exception_type === 'Out of Memory' ? { ...refusal, excess: 'too_large' } : refusal;
  } catch {
    return { message };
  }
}

/** `position` counts bytes of the SQL from 0. */
function placeOf(sql: string, position: string | undefined): Pick<QuestionRefusal, 'line' | 'column'> {
  if (position === undefined) return {};
  const before = Buffer.from(sql).subarray(0, Number(position)).toString().split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
