import { senderMeta } from '@sluice/tables/columns.ts';
import type { Command } from 'commander';
import type { Act } from '../context.ts';
import { remove } from '../output/confirm.ts';
import { entryLine } from '../output/entry-line.ts';
import { NamesOption } from '../output/names-option.ts';

const one = (id: string) => `/data/${encodeURIComponent(id)}`;
const exampleId = '0192f0c1a2b30a0b0c0d00000001';

/** `sluice entries`. */
export function addEntries(program: Command, act: Act): void {
  const entries = program
    .command('entries')
    .description('Show or delete one entry. `sluice list --json` tells ids.');
  /** A command for one entry. */
  const forOne = (name: string, description: string) =>
    entries
      .command(name)
      .description(description)
      .argument('<id>')
      .addHelpText('after', `\nExample: sluice entries ${name} ${exampleId}`);

  forOne('get', 'Show an entry.')
    .addOption(new NamesOption('--meta <names>', 'for --json: who sent it', senderMeta))
    .action(
      act<{ meta?: string }>(async (context, query, id) => {
        const { api, path, retry, json, print } = context;
        const { data, text } = await retry(() => api.ask('GET', path(one(id)), { query: { ...query } }));
        await print(json ? text : entryLine(context, data as { createdAt: string }, text));
      }),
    );

  forOne('delete', 'Delete an entry.')
    .option('--yes', 'do not ask')
    .action(
      act<{ yes?: boolean }>((context, { yes }, id) =>
        remove(context, context.path(one(id)), `Delete the entry ${id}?`, yes),
      ),
    );
}
