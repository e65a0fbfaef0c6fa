import { webhookEvents } from '@sluice/shared/webhook-events.ts';
import { senderMeta } from '@sluice/tables/columns.ts';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { remove } from '../output/confirm.ts';
import { NamesOption } from '../output/names-option.ts';
import { addDeliveries, webhookPath } from './deliveries.ts';

const exampleId = '66f1c2a4e8b5d70912345678';

/** `sluice webhooks`. */
export function addWebhooks(program: Command, act: Act): void {
  const webhooks = program.command('webhooks').description('Post what happens to your own programs.');
  /** A command for one webhook. */
  const forOne = (name: string, description: string, more = '') =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>')
      .addHelpText('after', `\nExample: sluice webhooks ${name} ${exampleId}${more}`);

  webhooks
    .command('list')
    .description('List the webhooks of an application.')
    .addHelpText('after', '\nExample: sluice webhooks list')
    .action(act(({ list }) => list('/webhooks', 'id', 'name', 'state', 'reason', 'url', 'events')));

  webhooks
    .command('create')
    .description('Create a webhook. Its secret is printed now, and never again.')
    .argument('<address>', 'where events are posted')
    .addOption(new NamesOption('--events <names>', 'what is posted', webhookEvents).default('entries.stored'))
    .option('--name <name>')
    .addOption(new NamesOption('--meta <names>', 'who sent entries', senderMeta))
    .option('--silence <minutes>', 'for entries.silent, such as 60')
    .option('--refusals <count/minutes>', 'for refusals.threshold, such as 10/5')
    .addHelpText(
      'after',
      '\nExample: sluice webhooks create https://example.com/hooks --events entries.stored,export.completed',
    )
    .action(act(create));

  for (const state of ['active', 'paused'] as const)
    forOne(
      state === 'active' ? 'resume' : 'pause',
      state === 'active' ? 'Start posting again.' : 'Stop posting.',
    ).action(
      act(async ({ api, path, tell }, _options, id) => {
        const { data } = await api.ask<{ state: string }>('PATCH', path(webhookPath(id)), {
          json: { state },
        });
        tell(data, `webhook ${id} is ${data.state}`);
      }),
    );
  forOne('rotate', 'Give a webhook a new secret. The old one signs too for 24 hours.').action(
    act((context, _options, id) => issue(context, `${webhookPath(id)}/rotate`)),
  );
  addDeliveries(forOne, act);
  forOne('delete', 'Delete a webhook.')
    .option('--yes', 'do not ask')
    .action(
      act<{ yes?: boolean }>((context, { yes }, id) =>
        remove(context, context.path(webhookPath(id)), `Delete webhook ${id}?`, yes),
      ),
    );
}

interface CreateOptions {
  events: string;
  name?: string;
  silence?: string;
  refusals?: string;
  meta?: string;
}

async function create(
  context: Context,
  { events, name, silence, refusals, meta }: CreateOptions,
  url: string,
): Promise<void> {
  if (silence !== undefined && !/^\d{1,5}$/.test(silence))
    throw new CliError('--silence takes minutes, such as 60');
  const [, count, minutes] = /^(\d{1,9})\/(\d{1,9})$/.exec(refusals ?? '') ?? [];
  if (refusals !== undefined && !minutes) throw new CliError('--refusals takes count/minutes, such as 10/5');
  await issue(context, '/webhooks', {
    url,
    name,
    events: events.split(','),
    ...(meta && { meta: meta.split(',') }),
    ...(silence !== undefined && { silence: Number(silence) }),
    ...(refusals && { refusals: { count: Number(count), minutes: Number(minutes) } }),
  });
}

async function issue({ api, path, json, print, say }: Context, rest: string, body?: object): Promise<void> {
  const { data, text } = await api.ask<{ id: string; secret: string }>(
    'POST',
    path(rest),
    body ? { json: body } : {},
  );
  await print(json ? text : `${data.id}  ${data.secret}`);
  say('keep the secret now: Sluice does not show it again');
}
