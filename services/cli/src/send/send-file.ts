import type { ApiFailure } from '../api/answer.ts';
import { NoAnswer } from '../api/no-answer.ts';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { download } from '../jobs/download.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import type { Bar } from '../output/bar.ts';
import type { Refusals } from './refusals.ts';
import type { SendRun } from './run-state.ts';
import { showReport } from './show-report.ts';
import type { LineSource, SourceFormat } from './source.ts';

const types: Record<SourceFormat, string> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};

interface FileParts {
  run: SendRun;
  bar: Bar;
  /** Where the report of refused lines goes; else the first of them are shown. */
  refused: string | undefined;
  refusals: Refusals;
}

/** Sends a file as an import, and waits until its lines are stored. */
export async function sendFile(
  context: Context,
  source: LineSource,
  { run, bar, refused, refusals }: FileParts,
) {
  if (context.token?.startsWith('sk_'))
    throw new CliError('an ingest key cannot import: use a personal token, or send NDJSON');
  const known = run.progress.job ?? (run.isResumed ? await findJob(context, run) : undefined);
  if (!known) await run.save(run.progress);
  const id = known ?? (await upload(context, source, run, bar));
  await run.save({ ...run.progress, job: id });
  const job = await waitForJob(context, id, 'import');
  bar.clear();
  if (refused !== undefined) await download(context, job, refused);
  else if (job.rejected) await showReport(context, id, refusals);
  return { stored: job.accepted ?? 0, refused: job.rejected ?? 0 };
}

/** The job of a run is found by this name. */
const nameOf = ({ name }: LineSource, { id }: SendRun) => `${name.slice(-200)} (${id.slice(0, 8)})`;

/** The job of a run whose answer was lost. */
async function findJob({ api, path, retry }: Context, { id }: SendRun): Promise<string | undefined> {
  const { data } = await retry(() => api.ask<AskedJob[]>('GET', path('/imports')));
  return data.find(({ name }) => name?.endsWith(`(${id.slice(0, 8)})`))?.id;
}

async function upload(context: Context, source: LineSource, run: SendRun, bar: Bar): Promise<string> {
  const { api, path } = context;
  const query = { name: nameOf(source, run) };
  const headers = { 'content-type': types[source.format] };
  async function* counted(): AsyncGenerator<Buffer> {
    let sent = 0;
    for await (const chunk of source.bytes) {
      sent += chunk.length;
      bar.show(sent, `${sent.toLocaleString('en')} bytes sent`);
      yield chunk;
    }
  }
  try {
    const response = await api.open('POST', path('/imports'), { query, headers, body: counted() });
    return ((await response.json()) as { data: AskedJob }).data.id;
  } catch (error) {
    if (!(error instanceof NoAnswer) && (error as ApiFailure).status !== 503) throw error;
    const found = await findJob(context, run);
    if (found) return found;
    throw new CliError(`${(error as Error).message}; nothing was stored: run the command again`, 4);
  }
}
