import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inherited } from '../../local/env.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { startSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/tools.md'), 'utf8');
const sent = 20_000;
const wrongEvery = 1_000;
const lines = Array.from(
  { length: sent },
  (_, n) => `{"n":${n},"celsius":${n % wrongEvery === 0 ? '"warm"' : n % 60}}\n`,
);
const stored = sent - sent / wrongEvery;

/** The configuration under a heading of the page. */
function configurationOf(heading: string): string {
  const [, text] =
    new RegExp(`^## ${heading}\n[\\s\\S]*?^\`\`\`\\w*\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? [];
  if (!text) throw new Error(`docs/tools.md has no configuration of ${heading}`);
  return text;
}

const program = (variable: string) => {
  const command = process.env[variable];
  if (!command) throw new Error(`set ${variable}: see CONTRIBUTING.md`);
  return command.split(' ');
};

it.each([
  [
    'Bento and Redpanda Connect',
    'READERS_BENTHOS',
    (file: string, _folder: string) => ['run', '--set', 'http.enabled=false', file],
  ],
  [
    'syslog-ng',
    'READERS_SYSLOG_NG',
    (file: string, folder: string) => [
      ...[
        '--foreground',
        '--stderr',
        '--no-caps',
        '--cfgfile',
        file,
        '--persist-file',
        join(folder, 'persist'),
      ],
      ...['--control', join(folder, 'control'), '--pidfile', join(folder, 'pid')],
    ],
  ],
])('%s sends each line once with the configuration of docs/tools.md', async (heading, variable, args) => {
  const [command = '', ...first] = program(variable);
  const sluice = await startSluice();
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, celsiusSchema);
  const path = `/applications/${domain}`;
  const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name: heading } });
  await sluice.request('PATCH', path, { token, json: { key_required: true } });

  const folder = mkdtempSync(join(tmpdir(), 'sluice-tools-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entries = join(folder, 'entries.ndjson');
  const file = join(folder, 'tool.conf');
  writeFileSync(entries, lines.join(''));
  const text = configurationOf(heading)
    .replaceAll('http://127.0.0.1:4000', sluice.url)
    .replaceAll('DOMAIN', domain)
    .replaceAll('sk_…', body.data.key)
    .replaceAll('/var/log/app/entries.ndjson', entries);
  writeFileSync(file, text);
  const tool = spawn(command, [...first, ...args(file, folder)], {
    cwd: folder,
    env: inherited(),
    stdio: 'inherit',
  });
  const ended = once(tool, 'exit');
  onTestFinished(async () => {
    tool.kill('SIGKILL');
    await ended;
  });

  const { count } = uploadClient(sluice, token);
  await until(async () => (await count(domain)) >= stored);
  // A batch that is repeated counts again, and each of its refused lines is kept once.
  const { list } = refusedClient(sluice, token, domain);
  await until(async () => (await list('?limit=1')).pagination.total >= sent - stored);
  expect((await list('?limit=1')).pagination.total).toBe(sent - stored);
  expect(await count(domain)).toBe(stored);
});
