import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { metaNames } from '@sluice/tables/columns.ts';
import { type Command, Option } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { NoAnswer } from '../api/no-answer.ts';
import type { Act, Context } from '../context.ts';
import { download } from '../jobs/download.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { NamesOption } from '../output/names-option.ts';
import { stateFile } from '../settings/folders.ts';
import { readPrivate, writePrivate } from '../settings/private-file.ts';

interface ExportOptions {
  format: string;
  from?: string;
  to?: string;
  columns?: string;
  filter?: string;
  key?: string;
  meta?: string;
  arrays?: string;
  formulas?: string;
  output?: string;
  wait?: boolean;
}

/** `sluice export`. */
export function addExport(program: Command, act: Act): void {
  program
    .command('export')
    .description('Export entries, oldest first.')
    .addOption(new Option('--format <format>').choices(['csv', 'ndjson', 'parquet']).default('csv'))
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created before this time')
    .option('--columns <names>', 'names of columns, separated by commas')
    .option('--filter <conditions>', 'conditions on payloads, as JSON')
    .option('--key <id>', 'sent with this ingest key')
    .addOption(new NamesOption('--meta <names>', 'more columns', metaNames))
    .addOption(new Option('--arrays <form>', 'how CSV writes arrays').choices(['json', 'columns', 'rows']))
    .addOption(
      new Option('--formulas <form>', 'how CSV writes text that a spreadsheet would calculate').choices([
        'escape',
        'raw',
      ]),
    )
    .option(
      '-o, --output <file>',
      'file to write; default: the standard output, or with --wait the name that the server gives',
    )
    .option('--wait', 'make a job, download its file and check its SHA-256; can be resumed')
    .addHelpText(
      'after',
      `
After Ctrl-C or a crash, repeat the command with --wait to continue.

Examples:
  sluice export --app weather-station-k3v9q2 > entries.csv
  sluice export --format parquet --wait -o entries.parquet`,
    )
    .action(
      act<ExportOptions>((context, { wait, output, ...options }) =>
        wait ? exportAsJob(context, options, output) : streamExport(context, options, output),
      ),
    );
}

async function streamExport(context: Context, options: ExportOptions, output?: string): Promise<void> {
  const { api, path, url, stdout, signal } = context;
  const { body } = await api.open('GET', path('/export'), { query: { ...options } });
  const source = Readable.from((body ?? []) as AsyncIterable<Uint8Array>);
  try {
    if (output) await pipeline(source, createWriteStream(output, { mode: 0o600 }));
    else await pipeline(source, stdout, { end: false });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    throw new NoAnswer(url, error as Error);
  }
}

/** Makes a job, or continues that of an interrupted command. */
async function exportAsJob(context: Context, options: ExportOptions, output?: string): Promise<void> {
  const { env, url, domain, tell } = context;
  const what = JSON.stringify([url, domain(), options, output && resolve(output)]);
  const state = stateFile(env, what);
  const kept = await readPrivate<{ job: string }>(state);
  const id = (kept && (await existing(context, kept.job))) ?? (await create(context, options));
  await writePrivate(state, { job: id });
  const job = await waitForJob(context, id, 'export');
  const file = output ?? basename(job.file?.name ?? `${id}.${options.format}`);
  await download(context, job, file);
  await rm(state, { force: true });
  const { rows = 0, bytes = 0, sha256 } = job.file ?? {};
  const rowsText = `${rows.toLocaleString('en')} entries, ${bytes.toLocaleString('en')} bytes`;
  tell({ file, rows, bytes, sha256 }, `${file}: ${rowsText}, SHA-256 matches the server's`);
}

/** The id of a job that can still be used. */
async function existing({ api, path, retry }: Context, id: string): Promise<string | undefined> {
  try {
    const { data } = await retry(() => api.ask<AskedJob>('GET', path(`/exports/${id}`)));
    return data.state === 'failed' || data.state === 'cancelled' ? undefined : id;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}

async function create({ api, path }: Context, options: ExportOptions): Promise<string> {
  const { columns, meta, ...others } = options;
  const json = {
    ...others,
    ...(columns && { columns: columns.split(',') }),
    ...(meta && { meta: meta.split(',') }),
  };
  return (await api.ask<AskedJob>('POST', path('/exports'), { json })).data.id;
}
