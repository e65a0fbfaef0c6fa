import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { nearest } from '@sluice/shared/nearest.ts';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { type Act, type Context, choose } from '../context.ts';
import { confirm } from '../output/confirm.ts';
import { lineDiff } from '../output/line-diff.ts';
import { readText } from '../read-text.ts';
import { harmless } from '../terminal.ts';

interface Language {
  language: string;
  name: string;
  file: string;
  how: string;
}

/** `sluice client`. */
export function addClient(program: Command, act: Act): void {
  const client = program
    .command('client')
    .description('Write a client for an application: types of its schema, and an uploader.')
    .argument('<language>', 'typescript, python, go, java or rust')
    .option(
      '-o, --output <file>',
      'file to write; default: named for the language; - for the standard output',
    )
    .option('--package <name>', 'package of the file, for Java')
    .option('--os <name>', 'windows: the file for Windows, for Go')
    .addHelpText('after', '\nExamples:\n  sluice client python\n  sluice client update uploader.py')
    .action(act(write));

  client
    .command('update')
    .description('Make a client anew from the schema in force. Shows the difference, and asks.')
    .argument('<file>', 'a client that was made before')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample: sluice client update uploader.py')
    .action(act(update));
}

/** What only some languages have. */
interface Parts {
  package?: string | undefined;
  os?: string | undefined;
}

function fetchClient({ api, path, retry }: Context, language: string, parts: Parts): Promise<string> {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined) as [string, string][];
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return retry(async () => (await api.open('GET', path(`/clients/${language}${query}`))).text());
}

interface WriteOptions extends Parts {
  output?: string;
}

async function write(context: Context, options: WriteOptions, given: string): Promise<void> {
  const { output, package: inPackage, os } = options;
  const { api, path, retry, print, tell } = context;
  const { data } = await retry(() => api.ask<Language[]>('GET', path('/clients')));
  const found = data.find(({ language }) => language === given.toLowerCase());
  if (!found) {
    const names = data.map(({ language }) => language);
    const meant = nearest(given, names);
    throw new CliError(
      meant ? `${given} is no language: did you mean ${meant}?` : `choose one of ${names.join(', ')}`,
    );
  }
  const text = await fetchClient(context, found.language, { package: inPackage, os });
  if (output === '-') return print(text.replace(/\n$/, ''));
  const file = output ?? (os ? basename(found.file).replace('.', `_${os}.`) : basename(found.file));
  if (existsSync(file))
    throw new CliError(`${file} is there: \`sluice client update ${file}\` shows what would change`);
  await writeFile(file, text);
  tell({ file, how: found.how }, `${file} was written; install: ${found.how}`);
}

/** Lines of a file in Java or Go. */
const packageLine = /^package ([\w.]+);$/m;
const systemLine = /^\/\/go:build (windows)$/m;
const head = /Sluice client for (\w+): application ([\w-]+), schema version (\d+)/;

async function update(given: Context, { yes }: { yes?: boolean }, file: string): Promise<void> {
  const old = await readText(file);
  const [, language = '', domain = '', version = ''] = head.exec(old.slice(0, 4_096)) ?? [];
  if (!domain)
    throw new CliError(`${file} is no client of Sluice: its first line would name the application`);
  const context = choose(given, domain);
  const parts = {
    package: language === 'Java' ? packageLine.exec(old)?.[1] : undefined,
    os: language === 'Go' ? systemLine.exec(old)?.[1] : undefined,
  };
  const text = await fetchClient(context, language.toLowerCase(), parts);
  const [, , , now = version] = head.exec(text) ?? [];
  if (text === old)
    return context.tell({ file, changed: false }, `${file} is what version ${now} of the schema makes`);
  for (const line of lineDiff(old, text)) context.say(harmless(line));
  await confirm(context, `Write ${file}, from schema version ${version} to ${now}?`, yes);
  await writeFile(file, text);
  context.tell({ file, changed: true }, `${file} was written`);
}
