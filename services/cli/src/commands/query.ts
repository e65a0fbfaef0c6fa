import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { Command } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { NoAnswer } from '../api/no-answer.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { answerTable } from '../output/answer-table.ts';
import { withPlace } from '../output/place-in-sql.ts';
import { readText } from '../read-text.ts';
import { findQuestion, saveQuestion } from './queries.ts';

interface QueryOptions {
  file?: string;
  named?: string;
  save?: string;
  param: string[];
  csv?: boolean;
  ndjson?: boolean;
  parquet?: string;
}

/** `sluice query`. */
export function addQuery(program: Command, act: Act): void {
  program
    .command('query')
    .description('Ask a question over all entries: one SELECT over `entries`.')
    .argument('[sql]', 'the question; - reads it from the standard input')
    .option('-f, --file <file>', 'read the question from a file')
    .option('--named <question>', 'ask the saved question of this name')
    .option('--save <name>', 'save the question for the members, once it is answered')
    .option(
      '--param <name=value>',
      'the value of $name; may be repeated',
      (given, all) => [...all, given],
      [] as string[],
    )
    .option('--csv', 'print CSV')
    .option('--ndjson', 'print an object for each row')
    .option('--parquet <file>', 'write a Parquet file')
    .addHelpText(
      'after',
      `
Without a format it prints a table, which fits into the terminal.

Examples:
  sluice query 'select place, avg(celsius) from entries group by place'
  sluice query 'select count(*) from entries where celsius > $least' --param least=20
  sluice query --file question.sql --csv > answer.csv
  sluice query --file question.sql --save 'By place'
  sluice query --named 'By place'`,
    )
    .action(act<QueryOptions>(query));
}

async function query(context: Context, options: QueryOptions, given?: string): Promise<void> {
  const sql = await readSql(context, options, given);
  const params = Object.fromEntries(options.param.map(toParam));
  const json = { sql, ...(options.param.length > 0 && { params }) };
  try {
    await answer(context, options, json);
    if (options.save !== undefined) await saveQuestion(context, options.save, sql);
  } catch (error) {
    throw error instanceof ApiFailure ? withPlace(error, sql) : error;
  }
}

async function readSql(context: Context, { file, named }: QueryOptions, given?: string): Promise<string> {
  const [one, ...others] = [file, named, given].filter((each) => each !== undefined);
  if (one === undefined || others.length > 0)
    throw new CliError(
      'give one question: as an argument, with --file, with --named, or - for the standard input',
    );
  if (file !== undefined) return readText(file);
  if (named !== undefined) return (await findQuestion(context, named)).sql;
  return one === '-' ? textOf(context.stdin) : one;
}

/** Reads a number, `true`, `false`, `null` or a string of JSON as this value, and anything else as text. */
function toParam(given: string): [string, unknown] {
  const at = given.indexOf('=');
  if (at < 1) throw new CliError(`--param takes name=value, not ${given}`);
  const [name, text] = [given.slice(0, at), given.slice(at + 1)];
  try {
    const value = parseJson(text);
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    const isKept = value === null || typeof value !== 'object';
    return [name, isKept && !isRounded ? value : text];
  } catch {
    return [name, text];
  }
}

interface Answered {
  columns: { name: string }[];
  as_of: string | null;
  truncated: boolean;
}

async function answer(context: Context, options: QueryOptions, json: object): Promise<void> {
  const { api, path, print, say, stdout } = context;
  const type = typeOf(options);
  if (type) return write(context, type, options.parquet, json);
  const { data, text } = await api.ask<Answered>('POST', path('/query'), { json });
  if (context.json) await print(text);
  else {
    const names = data.columns.map(({ name }) => name);
    const rows = memberText(text, 'rows') ?? '[]';
    for (const line of answerTable(names, rows, stdout.isTTY ? stdout.columns : undefined)) await print(line);
    if (data.as_of) say(`with every entry up to ${data.as_of}`);
  }
  if (data.truncated) say(cut);
}

const cut = 'there are more rows: these are the first ones. Ask for fewer, or export the entries.';

function typeOf({ csv, ndjson, parquet }: QueryOptions): string | undefined {
  if ([csv, ndjson, parquet].filter(Boolean).length > 1)
    throw new CliError('choose one of --csv, --ndjson and --parquet');
  if (csv) return 'text/csv';
  if (ndjson) return 'application/x-ndjson';
  return parquet === undefined ? undefined : 'application/vnd.apache.parquet';
}

async function write(context: Context, type: string, file: string | undefined, json: object): Promise<void> {
  const { api, path, url, stdout, signal, say } = context;
  const { body, headers } = await api.open('POST', path('/query'), { json, headers: { accept: type } });
  const source = Readable.from((body ?? []) as AsyncIterable<Uint8Array>);
  try {
    if (file) await pipeline(source, createWriteStream(file, { mode: 0o600 }));
    else await pipeline(source, stdout, { end: false });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    throw new NoAnswer(url, error as Error);
  }
  if (headers.get('sluice-truncated') === 'true') say(cut);
}
