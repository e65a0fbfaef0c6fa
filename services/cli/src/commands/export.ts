import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { metaNames } from '@sluice/tables/columns.ts';
import { type Command, Option } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { NoAnswer } from '../api/no-answer.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { download } from '../jobs/download.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { NamesOption } from '../output/names-option.ts';
import { stateFile } from '../settings/folders.ts';
import { readPrivate, writePrivate } from '../settings/private-file.ts';
import {
  aboutSecret,
  addBucketOptions,
  type BucketOptions,
  type BucketPlace,
  readPlace,
  refuseBucketOptions,
  toTarget,
} from './bucket.ts';

interface ExportOptions {
  format: string;
  from?: string;
  to?: string;
  before?: string;
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
  const command = program
    .command('export')
    .description('Export entries, oldest first.')
    .addOption(new Option('--format <format>').choices(['csv', 'ndjson', 'parquet']).default('csv'))
    .option('--from <time>', 'created at this time or later')
    .option('--to <time or place>', 'created before this time; s3://BUCKET/PREFIX or folder get the file')
    .option('--before <time>', 'created before this time, where --to is a place')
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
    .option('--wait', 'make a job, download its file and check its SHA-256; can be resumed');
  addBucketOptions(command)
    .addHelpText(
      'after',
      `
After Ctrl-C or a crash, repeat the command with --wait or a place to continue.
A place makes a job, and nothing is downloaded; folder is that of the operator.
${aboutSecret}
Examples:
  sluice export --app weather-station-k3v9q2 > entries.csv
  sluice export --format parquet --wait -o entries.parquet
  sluice export --to s3://lake/exports --region eu-central-1`,
    )
    .action(
      act<ExportOptions & BucketOptions>(
        (context, { wait, output, accessKeyId, endpoint, region, pathStyle, ...options }) => {
          const bucket = { accessKeyId, endpoint, region, pathStyle };
          const place = readPlace(options.to);
          if (place?.bucket === undefined) refuseBucketOptions(bucket, '--to s3://BUCKET/PREFIX');
          if (place && output) throw new CliError('a place in --to gets the file: leave --output out');
          if (place) return exportToPlace(context, options, place, bucket);
          if (options.before !== undefined) throw new CliError('without a place, give the time in --to');
          return wait ? exportAsJob(context, options, output) : streamExport(context, options, output);
        },
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

/** Makes a job, and downloads its file. */
async function exportAsJob(context: Context, options: ExportOptions, output?: string): Promise<void> {
  const what = [options, output && resolve(output)];
  const { job, forget } = await waitForExport(context, what, () => toBody(options));
  const file = output ?? basename(job.file?.name ?? `${job.id}.${options.format}`);
  await download(context, job, file);
  await forget();
  tellFile(context, file, job, ", SHA-256 matches the server's");
}

/** Makes a job whose file stays in a bucket or folder. */
async function exportToPlace(
  context: Context,
  options: ExportOptions,
  place: BucketPlace,
  bucket: BucketOptions,
): Promise<void> {
  const what = [options, bucket];
  const { job, forget } = await waitForExport(context, what, async () => ({
    ...toBody(options),
    to: await toTarget(context, place, bucket),
  }));
  await forget();
  const root = place.bucket === undefined ? 'ARCHIVE_FOLDER' : `s3://${place.bucket}`;
  tellFile(context, `${root}/${job.file?.name}`, job);
}

function tellFile({ tell }: Context, file: string, job: AskedJob, more = ''): void {
  const { rows = 0, bytes = 0, sha256 } = job.file ?? {};
  const size = `${rows.toLocaleString('en')} entries, ${bytes.toLocaleString('en')} bytes`;
  tell({ file, rows, bytes, sha256 }, `${file}: ${size}${more}`);
}

/** Makes a job, or continues that of an interrupted command with the same `what`. */
async function waitForExport(context: Context, what: unknown[], body: () => object | Promise<object>) {
  const { api, env, url, domain, path } = context;
  const state = stateFile(env, JSON.stringify([url, domain(), ...what]));
  const kept = await readPrivate<{ job: string }>(state);
  const create = async () => {
    const json = await body();
    return (await api.ask<AskedJob>('POST', path('/exports'), { json })).data.id;
  };
  const id = (kept && (await existing(context, kept.job))) ?? (await create());
  await writePrivate(state, { job: id });
  const job = await waitForJob(context, id, 'export');
  return { job, forget: () => rm(state, { force: true }) };
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

const toBody = ({ columns, meta, ...others }: ExportOptions): object => ({
  ...others,
  ...(columns && { columns: columns.split(',') }),
  ...(meta && { meta: meta.split(',') }),
});
