import { spawn } from 'node:child_process';
import { hostname, platform } from 'node:os';
import { text } from 'node:stream/consumers';
import { withoutMark } from '@sluice/json/byte-order-mark.ts';
import { askHidden } from '@sluice/shared/terminal/ask-hidden.ts';
import type { Command } from 'commander';
import { ApiFailure } from '../api/answer.ts';
import { createApi } from '../api/api.ts';
import { CliError } from '../cli-error.ts';
import type { Act } from '../context.ts';
import { readProfile, writeProfile } from '../settings/profiles.ts';
import { type GlobalOptions, readSettings } from '../settings/settings.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../terminal.ts';

/** `sluice login` and `logout`. */
export function addLogin(program: Command, act: Act, terminal: Terminal): void {
  program
    .command('login')
    .description('Remember where Sluice is, and a personal token.')
    .addHelpText(
      'after',
      `
Without --token it opens the console, where you make a token, and then asks for it.

Examples:
  sluice login --url https://sluice.example
  sluice login --url https://sluice.example --token "$TOKEN" --app weather-station-k3v9q2`,
    )
    .action(async (_options, command: Command) => logIn(terminal, command.optsWithGlobals()));

  program
    .command('logout')
    .description('Forget a token.')
    .addHelpText('after', '\nExample: sluice logout --profile work')
    .action(
      act(async ({ env, profile, tell }) => {
        const kept = await readProfile(env, profile);
        if (!kept) throw new CliError(`nothing to forget: there is no profile ${profile}`);
        await writeProfile(env, profile, undefined);
        tell({ profile }, `the token was forgotten here; to revoke it, open ${kept.url}/profile`);
      }),
    );
}

async function logIn(terminal: Terminal, options: GlobalOptions & { token?: string }): Promise<void> {
  const { env, say, signal } = terminal;
  const name = options.profile ?? 'default';
  const kept = await readProfile(env, name);
  // A profile that is not there yet is made.
  const { profile: _, ...others } = options;
  const { url } = await readSettings(kept ? options : others, env);
  const token = options.token ?? (await askForToken(terminal, url));
  if (token.startsWith('sk_'))
    throw new CliError(
      'an ingest key can only upload: give it to `sluice send` with --token or SLUICE_TOKEN',
    );
  const username = await whoIs(url, token, signal);
  const app = options.app ?? env.SLUICE_APP ?? (kept?.url === url ? kept.app : undefined);
  await writeProfile(env, name, { url, token, ...(app && { app }) });
  const who = username
    ? `logged in to ${url} as ${harmless(username)}`
    : `the token for ${url} is kept; it may only upload`;
  if (options.json) await terminal.print(JSON.stringify({ url, username, profile: name }));
  else say(`${who}\nnext: sluice apps list`);
}

/** The owner of a token; undefined if it may not tell. Throws CliError if it is not valid. */
async function whoIs(url: string, token: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await createApi(url, token, signal).ask<{ username: string }>('GET', '/users/me')).data.username;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status === 403) return undefined;
    if (error.status === 401)
      throw new CliError(`${url} does not know this token: copy it whole, or make a new one`);
    throw error;
  }
}

async function askForToken(terminal: Terminal, url: string): Promise<string> {
  const { stdin, say } = terminal;
  if (!stdin.isTTY) return withoutMark(await text(stdin)).trim();
  const query = new URLSearchParams({ token_name: `sluice on ${hostname()}`, scopes: 'read,write,upload' });
  const page = `${url}/profile?${query}`;
  say(`Make a personal token here, and copy it:\n\n  ${page}\n`);
  openInBrowser(page);
  const token = (await askHidden(terminal, 'Token (not shown): ')).trim();
  if (token === '') throw new CliError('no token was given');
  return token;
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

/** Where there is no browser, the printed address is enough. */
function openInBrowser(page: string): void {
  const opener = openers[platform()];
  if (opener)
    spawn(opener, [page], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref();
}
