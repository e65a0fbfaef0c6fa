import { printJson, printRows } from '@sluice/shared/terminal/print.ts';
import type { Command } from 'commander';
import { AdminError } from './admin-error.ts';
import {
  type InForce,
  type ServiceName,
  serviceNames,
  servicesOf,
  settingsInForce,
} from './settings-in-force.ts';
import type { AdminTerminal } from './terminal.ts';

/** `sluice-admin config`. */
export function addConfig(program: Command, terminal: AdminTerminal): void {
  program
    .command('config')
    .description('Look at settings.')
    .command('check')
    .description('Print the settings that services would start with here, and what is wrong with them.')
    .argument(
      '[service]',
      `${serviceNames.join(', ')}; without it all of them, query-worker only with QUERY_URL`,
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin config check api')
    .action((service: string | undefined, { json }: { json?: boolean }) => check(terminal, service, json));
}

function check({ console, env }: AdminTerminal, service: string | undefined, json = false): void {
  const chosen = service === undefined ? servicesOf(env) : serviceNames.filter((name) => service === name);
  if (chosen.length === 0) throw new AdminError(`${service} is not one of ${serviceNames.join(', ')}`);
  const found = chosen.map((name) => [name, settingsInForce(name, env)] as const);
  if (json) printJson(console, Object.fromEntries(found));
  else for (const [name, { settings }] of found) printService(console, name, settings);
  const faults = found.flatMap(([name, { faults }]) => faults.map((fault) => `${name}: ${fault}`));
  if (faults.length > 0) throw new AdminError(faults.join('\n'));
}

function printService(console: Console, name: ServiceName, settings: InForce['settings']): void {
  console.log(`\n${name}\n`);
  printRows(
    console,
    settings.map(({ name: setting, value, from }) => ({ setting, value, from })),
  );
}
