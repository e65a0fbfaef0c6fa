import type { Command } from 'commander';
import { type Act, type Context, choose } from '../context.ts';
import { confirm } from '../output/confirm.ts';
import { toFields } from '../output/fields.ts';
import { settings, toChange } from './app-settings.ts';

/** `sluice apps set` and `sluice apps restore`. */
export function addAppChanges(apps: Command, act: Act): void {
  const set = apps
    .command('set')
    .description('Change an application. What you leave out stays.')
    .argument('[domain]', 'its domain; default: --app');
  for (const { option } of settings) set.addOption(option);
  set
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  sluice apps set weather-station-k3v9q2 --key-required on
  sluice apps set --retention-days 90 --refused-days 7`,
    )
    .action(act(change));

  apps
    .command('restore')
    .description('Take back the deletion of an application. `sluice apps list --deleted` lists them.')
    .argument('[deleted-domain]', 'its domain; default: --app')
    .addHelpText('after', '\nExample: sluice apps restore weather-station-k3v9q2')
    .action(
      act(async (given, _options, domain) => {
        const { api, path, json, print, say } = choose(given, domain);
        const { data, text } = await api.ask<Restored>('POST', path('/restore'));
        if (json) return print(text);
        const count = data.entries === 1 ? '1 entry' : `${data.entries.toLocaleString('en')} entries`;
        say(`${data.domain} is restored, with ${count}`);
      }),
    );
}

interface Restored {
  domain: string;
  entries: number;
}

async function change(
  context: Context,
  options: { yes?: boolean },
  domain: string | undefined,
): Promise<void> {
  const { api, path, say, show } = choose(context, domain);
  const json = toChange({ ...options });
  if (json.retention_days)
    await confirm(
      context,
      json.archive
        ? `Entries older than ${json.retention_days} days go once all archives have them. Continue?`
        : `Entries older than ${json.retention_days} days are deleted. Continue?`,
      options.yes,
    );
  if (json.refused)
    await confirm(context, 'Refused uploads beyond these limits are deleted. Continue?', options.yes);
  const answer = await api.ask<{ warnings?: string[] }>('PATCH', path(''), { json });
  for (const warning of answer.data.warnings ?? []) say(`warning: ${warning}`);
  const changed = toFields(answer.data).filter(({ field }) => field in json);
  show(answer, ['field', 'value'], changed);
}
