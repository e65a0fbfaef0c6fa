import { Console } from 'node:console';
import { open } from 'node:fs/promises';
import { type FieldRow, fieldRows, formatOf, isSuggested, typesOf } from '@sluice/schemas/infer/fields.ts';
import { survey } from '@sluice/schemas/infer/survey.ts';
import { toSchema } from '@sluice/schemas/infer/to-schema.ts';
import { printRows, type Row } from '@sluice/shared/terminal/print.ts';
import { readFile, readSample } from '@sluice/tables/sample/read-sample.ts';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { type Act, type Context, choose } from '../context.ts';
import { remove } from '../output/confirm.ts';
import { toFields } from '../output/fields.ts';
import { readText } from '../read-text.ts';
import { harmless } from '../terminal.ts';
import { typeOption } from './app-settings.ts';
import { addAppChanges } from './apps-change.ts';

/** `sluice apps`. */
export function addApps(program: Command, act: Act): void {
  const apps = program
    .command('apps')
    .description('List, create, show, set, delete and restore applications.');

  apps
    .command('list')
    .description('List your applications, newest first.')
    .option('--shared', 'list applications that others share with you')
    .option('--deleted', 'list deleted applications that you can restore')
    .addHelpText('after', '\nExample: sluice apps list')
    .action(
      act<{ shared?: boolean; deleted?: boolean }>(async ({ api, retry, show }, query) => {
        const more = query.deleted ? ['deleted_at', 'purge_at'] : ['last_entry_at'];
        const columns = ['domain', 'name', 'entries', ...more, ...(query.shared ? ['role'] : [])];
        show(await retry(() => api.ask('GET', '/applications', { query: { ...query } })), columns);
      }),
    );

  apps
    .command('show')
    .description('Show an application.')
    .argument('[domain]', 'its domain; default: --app')
    .addHelpText('after', '\nExample: sluice apps show weather-station-k3v9q2')
    .action(
      act(async (context, _options, domain) => {
        const { api, retry, path, show } = choose(context, domain);
        const answer = await retry(() => api.ask<object>('GET', path('')));
        const fields = toFields(answer.data).filter(({ field }) => field !== 'template');
        show(answer, ['field', 'value'], fields);
      }),
    );

  apps
    .command('create')
    .description('Create an application from a sample of its data, or from a JSON Schema.')
    .argument('<name>')
    .option('--from <file>', 'sample: CSV, NDJSON or JSON; its schema is inferred')
    .option('--schema <file>', 'a JSON Schema')
    .addOption(typeOption().default('other'))
    .option('--unique <path>', 'JSON Pointer to a member: one entry is stored for each value of it')
    .addHelpText('after', "\nExample: sluice apps create 'Weather station' --from sample.csv")
    .action(act(create));

  apps
    .command('delete')
    .description('Delete an application with all its entries.')
    .argument('[domain]', 'its domain; default: --app')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample: sluice apps delete weather-station-k3v9q2')
    .action(
      act<{ yes?: boolean }>(async (given, { yes }, domain) => {
        const context = choose(given, domain);
        await remove(context, context.path(''), `Delete ${context.domain()} with all its entries?`, yes);
      }),
    );

  addAppChanges(apps, act);
}

interface CreateOptions {
  from?: string;
  schema?: string;
  type: string;
  unique?: string;
}

async function create(
  context: Context,
  { from, schema, type, unique }: CreateOptions,
  name: string,
): Promise<void> {
  const { api, say, json, print } = context;
  if ((from === undefined) === (schema === undefined))
    throw new CliError('give a sample with --from FILE, or a JSON Schema with --schema FILE');
  const text = schema === undefined ? await infer(context, from as string) : await readText(schema);
  const { data, text: exact } = await api.ask<{ domain: string; warnings?: string[] }>(
    'POST',
    '/applications',
    { json: { name, type, schema: text, ...(unique && { unique: { path: unique } }) } },
  );
  for (const warning of data.warnings ?? []) say(`warning: ${warning}`);
  await print(json ? exact : data.domain);
  say(`next: sluice send FILE --app ${data.domain}`);
}

/** What was chosen for a field. */
const toTyped = ({ pointer, field, parent, name }: FieldRow): Row => ({
  field: harmless(pointer),
  type: [...typesOf(field), ...(field.nulls > 0 ? ['null'] : [])].join(' or '),
  format: formatOf(field),
  required: name !== undefined && isSuggested(field, parent) ? 'required' : undefined,
});

/** The schema of a sample, inferred as the console does. */
async function infer({ say, stderr }: Context, path: string): Promise<string> {
  const text = await readFile(await startOf(path)).catch((error: Error) => {
    throw new CliError(`${path} is no sample: ${error.message}`);
  });
  const { rows, problems } = readSample(text);
  for (const { row, message } of problems.slice(0, 5)) say(`row ${row} is left out: ${message}`);
  if (rows.length === 0) throw new CliError(`${path} has no row to infer a schema from`);
  const root = survey(rows.map(({ value }) => value));
  say(
    `types of ${rows.length.toLocaleString('en')} rows; to choose others, give a JSON Schema with --schema`,
  );
  printRows(new Console(stderr), fieldRows(root).map(toTyped));
  return JSON.stringify(toSchema(root), null, 2);
}

const sampleBytes = 4 * 1024 ** 2 + 1;

/** Bytes of a file that are read as its sample. */
async function startOf(path: string): Promise<File> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file
      .read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
      .catch((error) => {
        throw Object.assign(error, { path });
      });
    return new File([buffer.subarray(0, bytesRead)], path);
  } finally {
    await file.close();
  }
}
