import { isJson, parseExactJson } from '@sluice/json/parse-json.ts';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { type Act, type Context, choose } from '../context.ts';
import { type AskedJob, waitForJob } from '../jobs/job.ts';
import { confirm } from '../output/confirm.ts';

interface EraseOptions {
  value?: string[];
  filter?: string;
  yes?: boolean;
}

/** `sluice erase`. */
export function addErase(program: Command, act: Act): void {
  program
    .command('erase')
    .description('Erase a person: entries and all that copies them. It cannot be undone.')
    .argument('[domain]', 'of the application; without it that of --app')
    .option('--value <values...>', 'of the member that is unique; a number is taken as a text too')
    .option('--filter <filter>', 'what matches, such as {"email":"ada@example.com"}')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  sluice erase weather-station-ybmgay --value ada@example.com
  sluice erase --filter '{"email":"ada@example.com"}' --yes`,
    )
    .action(
      act<EraseOptions>((context, options, domain) =>
        erase(choose(context, domain as string | undefined), options),
      ),
    );
}

async function erase(context: Context, { value, filter, yes }: EraseOptions): Promise<void> {
  const { api, path, retry, tell, say, domain } = context;
  if ((value === undefined) === (filter === undefined))
    throw new CliError('say what to erase: either --value or --filter');
  const what = filter ?? value?.join(', ');
  const question = `Erase ${what} from ${domain()}, and remove all its jobs that are over, with their files? This cannot be undone.`;
  await confirm(context, question, yes);
  // A text of the list has each digit of a number.
  const values = value && `[${value.flatMap(toJsons).join()}]`;
  const { data } = await api.ask<AskedJob>('POST', path('/erasures'), { json: { filter, values } });
  const { id, result = {} } = await waitForJob(context, data.id, 'erasure');
  const { entries, refused, files } = result;
  tell({ id, ...result }, `erased ${entries} entries and ${refused} refused uploads; ${files} files removed`);
  const archives = await retry(() => api.ask<unknown[]>('GET', path('/archives')));
  if (archives.data.length > 0)
    say(`files of archives have them until the operator runs: sluice-admin archives compact ${domain()}`);
}

/** JSON texts of a value: `7` can be a number or a string. */
function toJsons(value: string): string[] {
  const isScalar = isJson(value) && ['number', 'bigint', 'boolean'].includes(typeof parseExactJson(value));
  return [JSON.stringify(value), ...(isScalar ? [value] : [])];
}
