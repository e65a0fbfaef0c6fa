import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { remove } from '../output/confirm.ts';

/** `sluice keys`. */
export function addKeys(program: Command, act: Act): void {
  const keys = program.command('keys').description('List, create, update, rotate and delete ingest keys.');
  const one = (id: string) => `/keys/${encodeURIComponent(id)}`;

  keys
    .command('list')
    .description('List the keys of an application, newest first.')
    .addHelpText('after', '\nExample: sluice keys list')
    .action(
      act(async ({ api, path, retry, show }) => {
        const answer = await retry(() => api.ask<Listed[]>('GET', path('/keys')));
        show(answer, columns, answer.data.map(toRow));
      }),
    );

  keys
    .command('create')
    .description('Create a key. It is printed now, and never again.')
    .argument('<name>')
    .addOption(rateOption())
    .addOption(expiresOption())
    .addHelpText('after', "\nExample: sluice keys create 'Roof sensor'")
    .action(
      act<Limits>(async (context, limits, name) => {
        const { api, path, domain, retry, say } = context;
        const { data } = await retry(() => api.ask<{ key_required: boolean }>('GET', path('')));
        await issue(context, '/keys', { name, ...toLimits(limits) });
        if (!data.key_required)
          say(
            `${domain()} also takes uploads without a key: \`sluice apps set --key-required on\` refuses them`,
          );
      }),
    );

  keys
    .command('update')
    .description('Name, limit or end a key. What you leave out stays.')
    .argument('<id>')
    .option('--name <name>', 'another name')
    .addOption(rateOption())
    .addOption(expiresOption())
    .addHelpText('after', '\nExample: sluice keys update 66f1c2a4e8b5d70912345678 --rate 100/60')
    .action(
      act<Limits & { name?: string }>(async ({ api, path, tell }, { name, ...limits }, id) => {
        const { data } = await api.ask<object>('PATCH', path(one(id)), {
          json: { name, ...toLimits(limits) },
        });
        tell(data, `key ${id} was updated`);
      }),
    );

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

interface Limits {
  rate?: string;
  expires?: string;
}

interface Rate {
  entries: number;
  seconds: number;
}

interface Listed {
  upload_rate?: Rate;
}

const columns = [
  'id',
  'name',
  'prefix',
  'createdAt',
  'createdBy',
  'lastUsedAt',
  'uploads_24h',
  'refused_24h',
  'upload_rate',
  'expires_at',
];

const toRow = ({ upload_rate: rate, ...rest }: Listed) => ({
  ...rest,
  upload_rate: rate && `${rate.entries}/${rate.seconds}`,
});

const rateOption = () =>
  new Option(
    '--rate <entries/seconds>',
    'how many entries it may send, such as 100/60; off: as many as it likes',
  );
const expiresOption = () =>
  new Option('--expires <time>', 'until when it is valid, such as 2027-01-31; never: for ever');

/** What a key may; `null` for none. Throws CliError. */
function toLimits({ rate, expires }: Limits): { upload_rate?: Rate | null; expires_at?: string | null } {
  const [, entries, seconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(rate ?? '') ?? [];
  if (rate !== undefined && rate !== 'off' && !seconds)
    throw new CliError('--rate takes entries/seconds, such as 100/60, or off');
  const upload_rate = rate === 'off' ? null : { entries: Number(entries), seconds: Number(seconds) };
  return {
    ...(rate !== undefined && { upload_rate }),
    ...(expires !== undefined && { expires_at: expires === 'never' ? null : expires }),
  };
}

async function issue({ api, path, json, print, say }: Context, rest: string, body?: object): Promise<void> {
  const { data, text } = await api.ask<{ key: string }>('POST', path(rest), body ? { json: body } : {});
  await print(json ? text : data.key);
  say('keep it now: Sluice does not show it again');
}
