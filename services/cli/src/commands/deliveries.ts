import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';

/** Of a webhook. */
export const webhookPath = (id: string) => `/webhooks/${encodeURIComponent(id)}`;

/** Commands about what was posted. `forOne` adds a command for one webhook. */
export function addDeliveries(
  forOne: (name: string, description: string, more?: string) => Command,
  act: Act,
): void {
  forOne('ping', 'Post a ping.').action(
    act(async ({ api, path, tell }, _options, id) => {
      const { data } = await api.ask<object>('POST', path(`${webhookPath(id)}/ping`));
      tell(data, `the ping is on its way; \`sluice webhooks deliveries ${id}\` shows how it ends`);
    }),
  );
  forOne('deliveries', 'List what was posted, newest first.').action(
    act(async ({ api, path, retry, show }, _options, id) => {
      const answer = await retry(() => api.ask<Deliveries>('GET', path(`${webhookPath(id)}/deliveries`)));
      const rows = answer.data.result.map((delivery) => ({ ...delivery.last, ...delivery }));
      show(answer, ['id', 'createdAt', 'type', 'state', 'attempts', 'status', 'error'], rows);
    }),
  );
  forOne('redeliver', 'Post a delivery again, or all events since a time.', ' --from 2026-11-01T00:00:00Z')
    .argument('[delivery]', 'its id')
    .option('--from <time>', 'all events from this time on')
    .action(act(redeliver));
}

interface Deliveries {
  result: { last?: { status?: number; error?: string } }[];
}

async function redeliver(
  { api, path, tell }: Context,
  { from }: { from?: string },
  id: string,
  delivery: string | undefined,
): Promise<void> {
  if ((from === undefined) === (delivery === undefined))
    throw new CliError('name either a delivery or --from TIME');
  if (delivery === undefined) {
    const { data } = await api.ask<{ message: string }>('POST', path(`${webhookPath(id)}/redeliver`), {
      json: { from },
    });
    return tell(data, data.message);
  }
  const which = `${webhookPath(id)}/deliveries/${encodeURIComponent(delivery)}`;
  const { data } = await api.ask<object>('POST', path(`${which}/redeliver`));
  tell(data, `delivery ${delivery} is posted again`);
}
