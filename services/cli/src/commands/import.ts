import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { CliError, type ExitCode } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { download } from '../jobs/download.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { createBar } from '../output/bar.ts';
import { stateFile } from '../settings/folders.ts';
import { readPrivate, writePrivate } from '../settings/private-file.ts';

interface ImportOptions {
  format?: string;
  entries?: string;
  refused?: string;
}

/** What is imported, and how to go on with it. */
interface Source {
  begin(): Promise<string>;
  /** Sends what is missing. */
  finish(id: string): Promise<void>;
  /** Another version of a file is another import. */
  version: string;
}

const octets = 'application/offset+octet-stream';
/** Bytes of one request. Proxies on the way may limit its size and its time. */
const pieceBytes = 64 * 1024 ** 2;

/** `sluice import`. */
export function addImport(program: Command, act: Act): void {
  program
    .command('import')
    .description('Import a file as one job: NDJSON, a JSON array or CSV, also gzip or zstd, of any size.')
    .argument('<file>', 'file, or a URL that the server downloads')
    .addOption(new Option('--format <format>', 'otherwise by the name').choices(['ndjson', 'json', 'csv']))
    .addOption(
      new Option(
        '--entries <form>',
        'wrapped: each line is {"createdAt":…,"payload":{…}}, as in an NDJSON export, and keeps its time',
      ).choices(['plain', 'wrapped']),
    )
    .option('--refused <file>', 'write refused lines here, with their reasons')
    .addHelpText(
      'after',
      `
After a broken connection it continues; after Ctrl-C or a crash, repeat the command to continue.
Exit code: 0 all lines are stored, 1 some were refused, 2 wrong use, 4 the server or the network failed.

Examples:
  sluice import weather.csv.gz --app weather-station-k3v9q2
  sluice import https://example.com/weather.ndjson`,
    )
    .action(act(importFile));
}

async function importFile(context: Context, options: ImportOptions, given: string): Promise<ExitCode> {
  const { env, url, domain, say, tell, signal } = context;
  if (context.token?.startsWith('sk_'))
    throw new CliError('an ingest key cannot import: use a personal token');
  const isUrl = /^https?:\/\//i.test(given);
  const source = isUrl ? fromUrl(context, options, given) : await fromFile(context, options, given);
  const state = stateFile(env, ['import', url, domain(), isUrl ? given : resolve(given)].join('\n'));
  const kept = await readPrivate<{ id: string; version: string }>(state);
  const known = kept?.version === source.version && (await isThere(context, kept.id)) ? kept.id : undefined;
  if (known) say('continuing with the import that was begun before');
  const id = known ?? (await source.begin());
  await writePrivate(state, { id, version: source.version });
  try {
    await source.finish(id);
    const job = await waitForJob(context, id, 'import');
    if (options.refused !== undefined) await download(context, job, options.refused);
    await rm(state, { force: true });
    const { accepted: stored = 0, rejected: refused = 0 } = job;
    const counts = `${stored.toLocaleString('en')} stored, ${refused.toLocaleString('en')} refused`;
    tell({ job: id, stored, refused }, counts);
    return refused > 0 ? 1 : 0;
  } catch (error) {
    if (signal.aborted) say('interrupted; repeat the command to continue');
    throw error;
  }
}

/** Whether an import is there, and has not failed. */
async function isThere({ api, path, retry }: Context, id: string): Promise<boolean> {
  try {
    const { data } = await retry(() => api.ask<AskedJob>('GET', path(`/imports/${id}`)));
    return data.state !== 'failed' && data.state !== 'cancelled';
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return false;
    throw error;
  }
}

const fromUrl = ({ api, path }: Context, { format, entries }: ImportOptions, url: string): Source => ({
  version: '',
  finish: async () => {},
  begin: async () => {
    const request = { query: { format, entries }, json: { url } };
    return (await api.ask<AskedJob>('POST', path('/imports/from-url'), request)).data.id;
  },
});

async function fromFile(context: Context, { format, entries }: ImportOptions, file: string): Promise<Source> {
  const { api, path, retry } = context;
  const versionOf = async () => {
    const { size, mtimeMs } = await stat(file);
    return { size, version: `${size} ${mtimeMs}` };
  };
  const { size, version } = await versionOf();
  if (size === 0) throw new CliError(`${file} is empty`);

  async function offsetOf(id: string): Promise<number> {
    const { headers } = await api.open('HEAD', path(`/import-files/${id}`));
    return Number(headers.get('upload-offset'));
  }

  /** Sends the next piece of the file, and returns how much has arrived. */
  async function send(id: string, from: number, onBytes: (sent: number) => void): Promise<number> {
    const end = Math.min(from + pieceBytes, size) - 1;
    async function* counted() {
      let sent = from;
      for await (const bytes of createReadStream(file, { start: from, end })) {
        sent += bytes.length;
        onBytes(sent);
        yield bytes as Buffer;
      }
    }
    const headers = { 'content-type': octets, 'upload-offset': String(from) };
    const request = { headers, body: counted() };
    try {
      const answer = await api.open('PATCH', path(`/import-files/${id}`), request);
      return Number(answer.headers.get('upload-offset'));
    } catch (error) {
      // The end of the broken request has arrived meanwhile.
      if (error instanceof ApiFailure && error.status === 409) return offsetOf(id);
      throw error;
    }
  }

  return {
    version,

    async begin() {
      const query = { format, entries, name: basename(file).slice(-255) };
      const filename = Buffer.from(basename(file)).toString('base64');
      const headers = { 'upload-length': String(size), 'upload-metadata': `filename ${filename}` };
      return (await api.ask<AskedJob>('POST', path('/import-files'), { query, headers })).data.id;
    },

    async finish(id) {
      const bar = createBar(context, size);
      const show = (sent: number) => bar.show(sent, `${sent.toLocaleString('en')} bytes sent`);
      try {
        let arrived = await retry(() => offsetOf(id));
        while (arrived < size) {
          // Else the server would get a mixture, or wait for bytes that are gone.
          if ((await versionOf()).version !== version)
            throw new CliError(`${file} has changed while it was sent: repeat the command to send it anew`);
          const before = arrived;
          // A try that brought something begins the patience anew.
          arrived = await retry(async () => {
            const now = await offsetOf(id);
            return now > before ? now : send(id, now, show);
          });
        }
      } finally {
        bar.clear();
      }
    },
  };
}
