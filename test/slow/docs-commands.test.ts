import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inherited } from '../../local/env.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';

const root = join(import.meta.dirname, '../..');
const end = '\n@@\n';
/** Commands, and the answer that the page shows; empty where it shows none. */
type Step = { commands: string; answer: string };

/** The commands of a page that call the API. An answer is a comment below them, or the next block of the same item. */
function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  const fences = readFileSync(join(root, page), 'utf8').matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```/gm);
  for (const [, indent = '', language, indented = ''] of fences) {
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const last = steps.at(-1);
    if (language === 'sh' && text.includes('curl'))
      for (const [, commands = '', answer = ''] of text.matchAll(/((?:^(?!# ).*\n)+)((?:^# .*\n)*)/gm))
        steps.push({ commands, answer: answer.replaceAll(/^# /gm, '') });
    else if (language !== 'sh' && indent !== '' && last?.answer === '') last.answer = text;
  }
  return steps;
}

/** What differs each time is the same; `…` stands for any text. */
const masked = (text: string) =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/(weather-station|earthquakes)-\w{6}/g, 'DOMAIN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"[0-9a-f]{24}"|"[0-9a-f]{28}"/g, '"ID"')
    .replaceAll(/sk_[\w-]{40,}|whsec_[\w+/=]{40,}/g, 'KEY')
    .trim();
const patternOf = (answer: string) =>
  new RegExp(
    masked(answer)
      .split(/\s*…\s*/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*'),
  );

const METRICS_TOKEN = 'a-token-of-this-test';
let sluice: Sluice;
const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
// A page that uses them says to be in the folder of Sluice.
symlinkSync(join(root, 'examples'), join(folder, 'examples'));
beforeAll(async () => {
  sluice = await startSluice({ env: { METRICS_TOKEN, DELETION_GRACE: '7d' } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sluice.stop();
});

async function answersOf(steps: Step[]): Promise<string[]> {
  const script = steps.map(({ commands }) => `${commands}printf '${end.replaceAll('\n', '\\n')}'\n`).join('');
  const here = script.replaceAll('http://127.0.0.1:4000', sluice.url);
  const { stdout } = await promisify(execFile)('bash', ['-c', here], {
    cwd: folder,
    env: { ...inherited(), METRICS_TOKEN },
  });
  return stdout.split(end).slice(0, -1);
}

const readme = stepsOf('README.md');
/** To the first upload: what the other pages begin with. */
const beginning = readme.slice(0, 3);

it.each([
  ['README.md', [], readme],
  ...[
    'schemas',
    'changing-schemas',
    'rehearsals',
    'uploads',
    'refused',
    'keys',
    'members',
    'tokens',
    'webhooks',
    'listing',
    'live',
    'deleting',
    'exports',
    'imports',
    'operations',
  ].map((name): [string, Step[], Step[]] => [`docs/${name}.md`, beginning, stepsOf(`docs/${name}.md`)]),
])('the commands of %s have the answers that it shows', async (_page, before, steps) => {
  expect(steps.filter(({ answer }) => answer !== '')).not.toEqual([]);
  const answers = (await answersOf([...before, ...steps])).slice(before.length);
  for (const [at, { commands, answer }] of steps.entries())
    expect(masked(answers[at] ?? ''), commands).toMatch(patternOf(answer));
});
