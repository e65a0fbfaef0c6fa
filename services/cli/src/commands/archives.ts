import { text } from 'node:stream/consumers';
import { askHidden } from '@sluice/shared/terminal/ask-hidden.ts';
import { senderMeta } from '@sluice/tables/columns.ts';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { remove } from '../output/confirm.ts';
import { NamesOption } from '../output/names-option.ts';

const exampleId = '66f1c2a4e8b5d70912345678';
const archivePath = (id: string) => `/archives/${encodeURIComponent(id)}`;

/** `sluice archives`. */
export function addArchives(program: Command, act: Act): void {
  const archives = program
    .command('archives')
    .description('Write entries into files of a bucket or folder, run after run.');
  /** A command for one archive. */
  const forOne = (name: string, description: string) =>
    archives
      .command(name)
      .description(description)
      .argument('<id>')
      .addHelpText('after', `\nExample: sluice archives ${name} ${exampleId}`);

  archives
    .command('list')
    .description('List the archives of an application, newest first.')
    .addHelpText('after', '\nExample: sluice archives list')
    .action(act(list));

  archives
    .command('create')
    .description('Create an archive. Without --bucket it goes to the folder of the operator.')
    .option('--bucket <name>', 'of an S3 service; asks for its secret key')
    .option('--access-key-id <id>', 'of the bucket')
    .option('--endpoint <address>', 'of the S3 service; without it, AWS')
    .option('--region <name>')
    .option('--prefix <names>', 'where in the bucket')
    .option('--path-style', 'the bucket is in the path of addresses, as most S3 services need')
    .addOption(new Option('--format <format>').choices(['parquet', 'ndjson', 'csv']).default('parquet'))
    .addOption(new Option('--every <time>', 'between runs').choices(['15m', '1h', '1d']).default('1h'))
    .addOption(
      new Option('--from <start>', 'now: without what is stored already')
        .choices(['beginning', 'now'])
        .default('beginning'),
    )
    .option('--name <name>')
    .addOption(new NamesOption('--meta <names>', 'columns about who sent entries', senderMeta))
    .addHelpText(
      'after',
      `
The secret key is read from the terminal, or from the standard input.

Examples:
  sluice archives create --every 15m
  sluice archives create --bucket lake --access-key-id "$KEY_ID" --region eu-central-1 < secret.txt`,
    )
    .action(act(create));

  forOne('run', 'Let the next run begin at once.').action(
    act(async ({ api, path, tell }, _options, id) => {
      const { data } = await api.ask<Archive>('POST', path(`${archivePath(id)}/run`));
      const next =
        data.state === 'paused' ? `is paused: \`sluice archives resume ${id}\`` : 'runs in a moment';
      tell(data, `archive ${id} ${next}`);
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
  show(runs, ['id', 'state', 'entries', 'files', 'bytes', 'createdAt', 'error'], rows);
}

interface CreateOptions {
  bucket?: string;
  accessKeyId?: string;
  endpoint?: string;
  region?: string;
  prefix?: string;
  pathStyle?: boolean;
  format: string;
  every: string;
  from: string;
  name?: string;
  meta?: string;
}

async function create(context: Context, options: CreateOptions): Promise<void> {
  const { bucket, accessKeyId, endpoint, region, prefix, pathStyle, meta, ...rest } = options;
  const to = {
    kind: bucket === undefined ? 'folder' : 's3',
    bucket,
    endpoint,
    region,
    prefix,
    access_key_id: accessKeyId,
    path_style: pathStyle,
    ...(bucket !== undefined && { secret_access_key: await askForSecret(context, bucket) }),
  };
  const json = { ...rest, to, ...(meta && { meta: meta.split(',') }) };
  const { data, text: exact } = await context.api.ask<Archive>('POST', context.path('/archives'), { json });
  await context.print(context.json ? exact : data.id);
  context.say(`the first run begins in a moment; \`sluice archives runs ${data.id}\` shows how it ends`);
}

/** Not an option, which other users of the machine could read. */
async function askForSecret(context: Context, bucket: string): Promise<string> {
  const { stdin } = context;
  const secret = stdin.isTTY
    ? await askHidden(context, `Secret key of the bucket ${bucket} (not shown): `)
    : await text(stdin);
  if (secret.trim() === '')
    throw new CliError('give the secret key of the bucket, in a terminal or on the standard input');
  return secret.trim();
}
