import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { firstCode } from '@sluice/api/accounts/first-code.ts';
import { expect, it, onTestFinished } from 'vitest';
import { history } from '../../examples/weather/readings.ts';
import { processEnv } from '../support/process-env.ts';
import { startSluice, storeOf } from '../support/sluice.ts';
import { openPage } from './support/open-page.ts';

const run = promisify(execFile);
const demo = join(import.meta.dirname, '../../examples/demo.ts');

it('the demo prints a link that signs in once to 30 days of entries, and the next run begins again', async () => {
  const sluice = await startSluice({ env: { REGISTRATION_OPEN: 'off' } });
  onTestFinished(() => sluice.stop());
  const fill = async () => {
    const args = [demo, '--quick', '--url', sluice.url];
    const { stdout } = await run(process.execPath, args, { env: processEnv(sluice.env) });
    return stdout.match(/http\S+\/sign-in-once#\S+/)?.[0].slice(sluice.url.length) as string;
  };
  const first = await fill();
  const page = await openPage(sluice, first);
  await page.getByRole('link', { name: 'Weather stations' }).first().click();
  await page.waitForURL('**/entries**');

  const { users, applications, entries } = storeOf(sluice);
  const own = async () => {
    const { id = '' } = (await users.byName('sluice-demo')) ?? {};
    return applications.idsOfOwner(id);
  };
  const [id = '', ...others] = await own();
  expect(others).toEqual([]);
  const stored = await entries.count(id, {});
  expect(Math.abs(stored - [...history(Date.now())].length)).toBeLessThan(10);
  const day = 86_400_000;
  const old = { to: new Date(Date.now() - 29 * day) };
  expect(await entries.count(id, old)).toBeGreaterThan(10);

  const again = await openPage(sluice, await fill());
  await again.getByRole('link', { name: 'Weather stations' }).first().click();
  const answer = again.waitForResponse(/\/refused\/groups/);
  await again.getByRole('link', { name: /^Refused/ }).click();
  const groups: { count: number }[] = (await (await answer).json()).data;
  expect(groups.map(({ count }) => count)).toEqual([18, 12, 9, 7, 4]);
  expect(await own()).not.toContain(id);
  // The link of `npm start` still begins.
  await again.goto(`/welcome#${firstCode(sluice.env.JWT_SECRET as string)}`);
  await again.getByLabel('Username').fill('ada');
  await again.getByLabel(/^Password/).fill('correct horse');
  await again.getByRole('button', { name: 'Start' }).click();
  await again.getByRole('heading', { name: 'No applications yet' }).waitFor();
  const used = await openPage(sluice, first);
  await used.getByText('This link does not work any more').waitFor();
});
