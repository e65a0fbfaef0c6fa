import { memberText } from '@sluice/json/member-text.ts';
import { type Command, Option } from 'commander';
import type { ExitCode } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { download } from '../jobs/download.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { sayByKey, type ToldKey } from '../output/by-key.ts';
import { confirm } from '../output/confirm.ts';
import { numberOption } from '../output/number-option.ts';
import { readText } from '../read-text.ts';
import { harmless } from '../terminal.ts';

interface Change {
  path: string;
  kind: string;
  message: string;
}

interface Publication {
  version?: number;
  changes: Change[];
  warnings?: string[];
  checked?: number;
  refused?: number;
  by_key?: ToldKey[];
}

/** `sluice schema`. */
export function addSchema(program: Command, act: Act): void {
  const schema = program.command('schema').description('Show, compare, rehearse and publish a JSON Schema.');

  schema
    .command('show')
    .description('Print the schema in force, as it was sent.')
    .addOption(numberOption('--version-number <version>', 'an earlier version', 999_999_999))
    .addHelpText('after', '\nExample: sluice schema show > schema.json')
    .action(act(show));

  schema
    .command('diff')
    .description('Tell what a schema would change for uploads. Exit code 1 if it changes something.')
    .argument('<file>', 'JSON Schema')
    .addHelpText('after', '\nExample: sluice schema diff schema.json')
    .action(
      act(async (context, _options, file) => {
        const answer = await propose(context, file, { dry_run: true });
        context.show(answer, ['kind', 'path', 'message'], answer.data.changes);
        await sayRefused(context, answer.data);
        return answer.data.changes.length > 0 ? 1 : 0;
      }),
    );

  schema
    .command('rehearse')
    .description(
      'Validate what is stored with a schema, and change nothing. Exit code 1 if something does not conform.',
    )
    .argument('<file>', 'JSON Schema')
    .addOption(new Option('--of <what>').choices(['entries', 'refused', 'both']).default('entries'))
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created before this time')
    .option('-o, --output <file>', 'write what does not conform here')
    .addHelpText('after', '\nExample: sluice schema rehearse schema.json --of both')
    .action(act(rehearse));

  schema
    .command('publish')
    .description('Put a schema in force. Shows what it changes, and asks.')
    .argument('<file>', 'JSON Schema')
    .option('--note <text>', 'what it is for')
    .option('--yes', 'do not ask')
    .addHelpText('after', "\nExample: sluice schema publish schema.json --note 'Humidity'")
    .action(act(publish));
}

async function show(
  { api, path, retry, json, print }: Context,
  { versionNumber }: { versionNumber?: string },
) {
  if (versionNumber === undefined) {
    const { data, text } = await retry(() => api.ask<{ template: { raw_schema: string } }>('GET', path('')));
    return print(json ? (memberText(text, 'template') ?? '') : data.template.raw_schema);
  }
  const rest = `/schemas/${encodeURIComponent(versionNumber)}`;
  const { data, text } = await retry(() => api.ask<{ raw_schema: string }>('GET', path(rest)));
  return print(json ? text : data.raw_schema);
}

/** What a dry run found among the newest entries. */
async function sayRefused(context: Context, { checked, refused, by_key }: Publication): Promise<void> {
  if (checked === undefined || refused === undefined) return;
  const [all, some] = [checked.toLocaleString('en'), refused.toLocaleString('en')];
  context.say(`${some} of the newest ${all} entries would be refused`);
  await sayByKey(context, by_key);
}

const propose = async ({ api, path }: Context, file: string, query: { dry_run?: true }, more: object = {}) =>
  api.ask<Publication>('POST', path('/schemas'), {
    query,
    json: { schema: await readText(file), ...more },
  });

async function publish(
  context: Context,
  { note, yes }: { note?: string; yes?: boolean },
  file: string,
): Promise<void> {
  const { api, path, say, domain, json, print } = context;
  const { version } = (await api.ask<{ template: { version: number } }>('GET', path(''))).data.template;
  const { data } = await propose(context, file, { dry_run: true });
  for (const { kind, path: place, message } of data.changes) say(harmless(`${kind}  ${place}  ${message}`));
  for (const warning of data.warnings ?? []) say(harmless(`warning: ${warning}`));
  if (data.changes.length === 0) say('nothing changes for uploads');
  await sayRefused(context, data);
  await confirm(context, `Publish ${file} for ${domain()}?`, yes);
  const published = await propose(context, file, {}, { note, if_version: version });
  if (json) await print(published.text);
  else say(`version ${published.data.version} is in force`);
}

interface RehearseOptions {
  of: string;
  from?: string;
  to?: string;
  output?: string;
}

async function rehearse(
  context: Context,
  { output, ...options }: RehearseOptions,
  file: string,
): Promise<ExitCode> {
  const { api, path, say } = context;
  const json = { schema: await readText(file), ...options };
  const { id } = (await api.ask<AskedJob>('POST', path('/rehearsals'), { json })).data;
  await waitForJob(context, id, 'rehearsal');
  const answer = await api.ask<AskedJob>('GET', path(`/rehearsals/${id}`));
  const { checked, conforming, groups = [], by_key } = answer.data.result as unknown as Rehearsal;
  context.show(answer, ['count', 'path', 'keyword', 'property'], groups);
  say(`${conforming.toLocaleString('en')} of ${checked.toLocaleString('en')} conform`);
  await sayByKey(context, by_key);
  if (output) await download(context, answer.data, output);
  return conforming < checked ? 1 : 0;
}

interface Rehearsal {
  checked: number;
  conforming: number;
  groups?: object[];
  by_key?: ToldKey[];
}
