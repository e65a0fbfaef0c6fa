import { senderMeta } from '@sluice/tables/columns.ts';
import { type Command, Option } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { remove } from '../output/confirm.ts';
import { NamesOption } from '../output/names-option.ts';
import {
  aboutSecret,
  addBucketOptions,
  type BucketOptions,
  readKey,
  refuseBucketOptions,
  toTarget,
} from './bucket.ts';

const exampleId = '66f1c2a4e8b5d70912345678';
const archivePath = (id: string) => `/archives/${encodeURIComponent(id)}`;

/** `sluice archives`. */
export function addArchives(program: Command, act: Act): void {
  const archives = program
    .command('archives')
    .description('Write entries into files of a bucket or folder, run after run.');
  /** A command for one archive. */
  const forOne = (name: string, description: string, more = '') =>
    archives
      .command(name)
      .description(description)
      .argument('<id>')
      .addHelpText('after', `\nExample: sluice archives ${name} ${exampleId}${more}`);
  const everyOption = () => new Option('--every <time>', 'between runs').choices(['15m', '1h', '1d']);

  archives
    .command('list')
    .description('List the archives of an application, newest first.')
    .addHelpText('after', '\nExample: sluice archives list')
    .action(act(list));

  const create = archives
    .command('create')
    .description('Create an archive. Without --bucket it goes to the folder of the operator.')
    .option('--bucket <name>', 'of an S3 service')
    .option('--prefix <names>', 'where in the bucket');
  addBucketOptions(create)
    .addOption(new Option('--format <format>').choices(['parquet', 'ndjson', 'csv']).default('parquet'))
    .addOption(everyOption().default('1h'))
    .addOption(
      new Option('--from <start>', 'now: without what is stored already')
        .choices(['beginning', 'now'])
        .default('beginning'),
    )
    .option('--name <name>')
    .addOption(new NamesOption('--meta <names>', 'columns about who sent entries', senderMeta))
    .addHelpText(
      'after',
      `${aboutSecret}
Examples:
  sluice archives create --every 15m
  sluice archives create --bucket lake --access-key-id "$KEY_ID" --region eu-central-1 < secret.txt`,
    )
    .action(act(createArchive));

  forOne('update', 'Give an archive a new key, name or period. Its place cannot change.', ' --every 15m')
    .option('--access-key-id <id>', 'of a new key of the bucket; its secret key is read as by create')
    .addOption(everyOption())
    .option('--name <name>', 'another name')
    .action(act(update));

  forOne('run', 'Let the next run begin at once, or as soon as the one under way has ended.').action(
    act(async ({ api, path, tell }, _options, id) => {
      const asked = api.ask<Archive>('POST', path(`${archivePath(id)}/run`));
      const { data } = await asked.catch((error) => {
        if (!(error instanceof ApiFailure) || error.status !== 409) throw error;
        throw new CliError(`archive ${id} is paused: \`sluice archives resume ${id}\``);
      });
      tell(data, `archive ${id} runs in a moment`);
    }),
  );
  archives
    .command('verify')
    .description('Prove that all entries are in the files, once, and the files as they were stored.')
    .argument('[id]', 'may be left out when the application has one archive')
    .addHelpText(
      'after',
      `
Exit code: 0 equal, 1 not equal or not readable, 2 wrong use, 4 the server or the network failed.

Example: sluice archives verify`,
    )
    .action(act(verify));
  forOne('runs', 'List runs of an archive, newest first.').action(act(listRuns));
  for (const state of ['active', 'paused'] as const)
    forOne(
      state === 'active' ? 'resume' : 'pause',
      state === 'active' ? 'Start runs again.' : 'Begin no further run.',
    ).action(
      act(async ({ api, path, tell }, _options, id) => {
        const { data } = await api.ask<Archive>('PATCH', path(archivePath(id)), { json: { state } });
        tell(data, `archive ${id} is ${data.state}`);
      }),
    );
  forOne('delete', 'Delete an archive. Its files stay.')
    .option('--yes', 'do not ask')
    .action(
      act<{ yes?: boolean }>((context, { yes }, id) =>
        remove(context, context.path(archivePath(id)), `Delete archive ${id}? Its files stay.`, yes),
      ),
    );
}

interface Archive {
  id: string;
  state: string;
  to: { kind: string; bucket?: string; prefix?: string };
}

const archiveColumns = [
  'id',
  'name',
  'to',
  'format',
  'every',
  'state',
  'reason',
  'lag_seconds',
  'next_run_at',
  'entries',
  'bytes',
];

const toPlace = ({ kind, bucket, prefix }: Archive['to']) =>
  kind === 'folder' ? kind : `${kind}://${bucket}${prefix === undefined ? '' : `/${prefix}`}`;

async function list({ api, path, retry, show }: Context): Promise<void> {
  const answer = await retry(() => api.ask<Archive[]>('GET', path('/archives')));
  const rows = answer.data.map(({ to, ...rest }) => ({ ...rest, to: toPlace(to) }));
  show(answer, archiveColumns, rows);
}

/** The id of the only archive. Throws CliError. */
async function onlyOne({ api, path, retry }: Context): Promise<string> {
  const { data } = await retry(() => api.ask<Archive[]>('GET', path('/archives')));
  const [one, ...others] = data;
  if (one && others.length === 0) return one.id;
  throw new CliError(
    one
      ? 'which archive? `sluice archives list` lists them'
      : 'the application has no archive: `sluice archives create`',
  );
}

async function verify(context: Context, _options: object, given?: string): Promise<void> {
  const { api, path, tell } = context;
  const id = given ?? (await onlyOne(context));
  const { data } = await api.ask<AskedJob>('POST', path(`${archivePath(id)}/verify`));
  const { result } = await waitForJob(context, data.id, 'verification', 1);
  tell(result ?? {}, `${Number(result?.entries).toLocaleString('en')} entries, equal`);
}

async function listRuns({ api, path, retry, show }: Context, _options: object, id: string): Promise<void> {
  const runs = await retry(() => api.ask<{ result?: object }[]>('GET', path(`${archivePath(id)}/runs`)));
  const rows = runs.data.map(({ result, ...rest }) => ({ ...rest, ...result }));
  show(runs, ['id', 'state', 'entries', 'files', 'bytes', 'deletions', 'createdAt', 'error'], rows);
}

interface CreateOptions extends BucketOptions {
  bucket?: string;
  prefix?: string;
  format: string;
  every: string;
  from: string;
  name?: string;
  meta?: string;
}

async function createArchive(context: Context, options: CreateOptions): Promise<void> {
  const { bucket, prefix, format, every, from, name, meta } = options;
  if (bucket === undefined) refuseBucketOptions(options, '--bucket');
  const to = await toTarget(context, { bucket, prefix }, options);
  const json = { name, to, format, every, from, ...(meta && { meta: meta.split(',') }) };
  const { data, text: exact } = await context.api.ask<Archive>('POST', context.path('/archives'), { json });
  await context.print(context.json ? exact : data.id);
  context.say(`the first run begins in a moment; \`sluice archives runs ${data.id}\` shows how it ends`);
}

interface UpdateOptions {
  accessKeyId?: string;
  every?: string;
  name?: string;
}

async function update(context: Context, options: UpdateOptions, id: string): Promise<void> {
  const { accessKeyId, ...rest } = options;
  if (Object.keys(options).length === 0)
    throw new CliError('name what to change: see `sluice help archives update`');
  const json = { ...rest, ...(accessKeyId !== undefined && { to: await readKey(context, accessKeyId) }) };
  const { data } = await context.api.ask<Archive>('PATCH', context.path(archivePath(id)), { json });
  context.tell(data, `archive ${id} was updated`);
}
