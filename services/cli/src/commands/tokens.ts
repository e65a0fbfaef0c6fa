import { text } from 'node:stream/consumers';
import { askHidden } from '@sluice/shared/terminal/ask-hidden.ts';
import type { Command } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { type Api, createApi } from '../api/api.ts';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { confirm } from '../output/confirm.ts';
import { NamesOption } from '../output/names-option.ts';
import { numberOption } from '../output/number-option.ts';
import { harmless } from '../terminal.ts';

const dayMs = 86_400_000;
const path = '/users/me/tokens';
const scopes = ['read', 'write', 'upload'];

/** `sluice tokens`. */
export function addTokens(program: Command, act: Act): void {
  const tokens = program
    .command('tokens')
    .description('List, create and revoke your personal tokens. Asks for your password.');

  tokens
    .command('list')
    .description('List your tokens, newest first.')
    .addHelpText('after', '\nExample: sluice tokens list')
    .action(
      act(async (context) => {
        const answer = await (await loggedIn(context)).ask('GET', path);
        context.show(answer, ['id', 'name', 'scopes', 'applications', 'expires_at', 'lastUsedAt']);
      }),
    );

  tokens
    .command('create')
    .description('Create a token. It is printed now, and never again.')
    .argument('<name>')
    .addOption(new NamesOption('--scopes <names>', 'what it may do', scopes).default('read'))
    .addOption(numberOption('--days <count>', 'days until it expires', 36_500))
    .option('--applications <domains>', 'only for these, separated by commas')
    .addHelpText('after', "\nExample: sluice tokens create 'Nightly export' --scopes read --days 90")
    .action(act(create));

  tokens
    .command('revoke')
    .description('Revoke a token. It stops working.')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample: sluice tokens revoke 66f1c2a4e8b5d70912345678')
    .action(
      act<{ yes?: boolean }>(async (context, { yes }, id) => {
        await confirm(context, `Revoke token ${id}?`, yes);
        const api = await loggedIn(context);
        const { data } = await api.ask<{ message: string }>('DELETE', `${path}/${encodeURIComponent(id)}`);
        context.tell(data, data.message);
      }),
    );
}

interface CreateOptions {
  scopes: string;
  days?: string;
  applications?: string;
}

async function create(
  context: Context,
  { scopes, days, applications }: CreateOptions,
  name: string,
): Promise<void> {
  const json = {
    name,
    scopes: scopes.split(','),
    ...(days && { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
    ...(applications && { applications: applications.split(',') }),
  };
  const { data, text: exact } = await (await loggedIn(context)).ask<{ token: string }>('POST', path, {
    json,
  });
  await context.print(context.json ? exact : data.token);
  context.say('keep it now: Sluice does not show it again');
}

/** The API with a login, which a personal token cannot replace. The password is kept nowhere. */
async function loggedIn(context: Context): Promise<Api> {
  const { api, url, token, stdin, signal, retry } = context;
  if (token && !token.startsWith('slp_')) return api;
  const { username } = (await retry(() => api.ask<{ username: string }>('GET', '/users/me'))).data;
  const lines = stdin.isTTY ? undefined : (await text(stdin)).split(/\r?\n/);
  const ask = (question: string) => askHidden(context, `${question} (not shown): `);
  const password = lines
    ? lines[0]
    : await ask(`Password of ${harmless(username)}, as a token may not manage tokens`);
  if (!password)
    throw new CliError(
      `a personal token may not manage tokens: give the password of ${username}, in a terminal or on the standard input`,
    );
  const credentials = { username, password };
  const logIn = (json: object, wrong: string) =>
    api.ask<{ token: string }>('POST', '/users/login', { json }).catch((error) => {
      if (isKind(error, 'InvalidCredentialsError')) throw new CliError(wrong);
      throw error;
    });
  const { data } = await logIn(credentials, `this is not the password of ${username}`).catch(
    async (error) => {
      if (!isKind(error, 'SecondFactorRequiredError')) throw error;
      const code = lines ? lines[1] : await ask('Code of your authenticator app, or a recovery code');
      if (!code)
        throw new CliError(
          `${username} has a second factor: give a code too, in a terminal or as the second line of the standard input`,
        );
      return logIn(
        { ...credentials, code },
        'the code is wrong or was used: wait for the next one of your app',
      );
    },
  );
  return createApi(url, data.token, signal);
}

const isKind = (error: unknown, kind: string) => error instanceof ApiFailure && error.kind === kind;
