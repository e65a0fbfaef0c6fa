import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { limitOption } from '../output/number-option.ts';

interface Event {
  via?: string;
  token?: string;
  before?: object;
  after?: object;
}

const toRow = ({ via, token, before, after, ...rest }: Event) => ({
  ...rest,
  via: token ?? via,
  before: before && JSON.stringify(before),
  after: after && JSON.stringify(after),
});

/** `sluice activity`. */
export function addActivity(program: Command, act: Act): void {
  program
    .command('activity')
    .description('List who did what with an application, newest first.')
    .addOption(limitOption())
    .option('--actor <username>', 'what one user did')
    .option('--action <action>', 'one action, such as key.revoked, or a kind, such as key')
    .option('--from <time>', 'at this time or later')
    .option('--to <time>', 'before this time')
    .addHelpText('after', '\nExample: sluice activity --action member --from 2026-11-01')
    .action(
      act<Record<string, string>>(async ({ api, path, retry, show }, query) => {
        const answer = await retry(() => api.ask<{ result: Event[] }>('GET', path('/activity'), { query }));
        const columns = ['at', 'actor', 'via', 'action', 'before', 'after'];
        show(answer, columns, answer.data.result.map(toRow));
      }),
    );
}
