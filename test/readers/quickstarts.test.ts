import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inherited } from '../../local/env.ts';
import { masked, patternOf, runSteps, stepsOf } from '../support/docs-steps.ts';
import { startSluice } from '../support/sluice.ts';
import { python } from './python.ts';

it('the quickstarts end with the table that they show', async () => {
  const sluice = await startSluice();
  onTestFinished(() => sluice.stop());
  const cwd = await mkdtemp(join(tmpdir(), 'sluice-quickstarts-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const PATH = [dirname(process.execPath), dirname(python()), process.env.PATH].join(delimiter);

  const steps = [...stepsOf('README.md').slice(0, 2), ...stepsOf('docs/quickstarts.md', /./)];
  const answers = await runSteps(steps, { url: sluice.url, cwd, env: { ...inherited(), PATH } });
  for (const [at, { commands, answer }] of steps.entries())
    expect(masked(answers[at] ?? ''), commands).toMatch(patternOf(answer));
});
