import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { remove } from '../output/confirm.ts';

/** `sluice keys`. */
export function addKeys(program: Command, act: Act): void {
  const keys = program.command('keys').description('List, create, rotate and delete ingest keys.');
  const one = (id: string) => `/keys/${encodeURIComponent(id)}`;

  keys
    .command('list')
    .description('List the keys of an application, newest first.')
    .addHelpText('after', '\nExample: sluice keys list')
    .action(act(({ list }) => list('/keys', 'id', 'name', 'prefix', 'createdAt', 'createdBy')));

  keys
    .command('create')
    .description('Create a key. It is printed now, and never again.')
    .argument('<name>')
    .addHelpText('after', "\nExample: sluice keys create 'Roof sensor'")
    .action(act((context, _options, name) => issue(context, '/keys', { name })));

  keys
    .command('rotate')
    .description('Give a key a new value. The old one stops working.')
    .argument('<id>')
    .addHelpText('after', '\nExample: sluice keys rotate 66f1c2a4e8b5d70912345678')
    .action(act((context, _options, id) => issue(context, `${one(id)}/rotate`)));

  keys
    .command('delete')
    .description('Delete a key. It stops working.')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample: sluice keys delete 66f1c2a4e8b5d70912345678')
    .action(
      act<{ yes?: boolean }>((context, { yes }, id) =>
        remove(context, context.path(one(id)), `Delete the key ${id}?`, yes),
      ),
    );
}

async function issue({ api, path, json, print, say }: Context, rest: string, body?: object): Promise<void> {
  const { data, text } = await api.ask<{ key: string }>('POST', path(rest), body ? { json: body } : {});
  await print(json ? text : data.key);
  say('keep it now: Sluice does not show it again');
}
