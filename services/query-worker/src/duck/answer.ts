import { BIGINT, type DuckDBConnection, type DuckDBPreparedStatement } from '@duckdb/node-api';
import type { AskRefusal, Reply } from './ask.ts';
import { encode } from './encode.ts';
import { openEntries } from './open.ts';
import type { AnswerBody, Question } from './question.ts';

/** Answers a question. Never rejects for what the question says. */
export async function answer(question: Question): Promise<Reply<AnswerBody>> {
  const connection = await openEntries(question);
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
): Promise<DuckDBPreparedStatement | AskRefusal> {
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
export function toRefusal(message: string, sql: string): AskRefusal {
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
function placeOf(sql: string, position: string | undefined): Pick<AskRefusal, 'line' | 'column'> {
  if (position === undefined) return {};
  const before = Buffer.from(sql).subarray(0, Number(position)).toString().split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
