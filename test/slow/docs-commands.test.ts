import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inherited } from '../../local/env.ts';
import { masked, patternOf, root, runSteps, type Step, stepsOf } from '../support/docs-steps.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';

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

/** The command line keeps its files at home. */
const answersOf = (steps: Step[]) =>
  runSteps(steps, { url: sluice.url, cwd: folder, env: { ...inherited(), METRICS_TOKEN, HOME: folder } });

const readme = stepsOf('README.md');
/** To the first upload, and to the command line: what the other pages begin with, as far as they use it. */
const toFirstUpload = readme.slice(0, 3);
const toCommandLine = stepsOf('docs/cli.md').slice(0, 2);

function pageOf(name: string): [page: string, before: Step[], steps: Step[]] {
  const page = `docs/${name}.md`;
  const steps = stepsOf(page);
  const usesCommandLine = steps.some(({ commands }) => /^sluice |\| sluice /m.test(commands));
  return [page, [...toFirstUpload, ...(usesCommandLine ? toCommandLine : [])], steps];
}

it.each<[page: string, before: Step[], steps: Step[]]>([
  ['README.md', [], readme],
  ...[
    'schemas',
    'changing-schemas',
    'rehearsals',
    'cli',
    'uploads',
    'refused',
    'keys',
    'members',
    'activity',
    'tokens',
    'webhooks',
    'listing',
    'live',
    'proof',
    'deleting',
    'exports',
    'imports',
    'moving',
    'operations',
  ].map(pageOf),
])(
  'the commands of %s have the answers that it shows',
  { timeout: 300_000 },
  async (_page, before, steps) => {
    expect(steps.filter(({ answer }) => answer !== '')).not.toEqual([]);
    const answers = (await answersOf([...before, ...steps])).slice(before.length);
    for (const [at, { commands, answer }] of steps.entries())
      expect(masked(answers[at] ?? ''), commands).toMatch(patternOf(answer));
  },
);
