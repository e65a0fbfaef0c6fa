import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { firstCode } from '@sluice/api/accounts/first-code.ts';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { openPage, phone } from './support/open-page.ts';
import { openAs, signOut } from './support/sign-in.ts';

const run = promisify(execFile);
const password = 'correct horse';

async function start() {
  const sluice = await startSluice({ workers: false, env: { REGISTRATION_OPEN: 'off' } });
  onTestFinished(() => sluice.stop());
  return { sluice, link: `/welcome#${firstCode(sluice.env.JWT_SECRET as string)}` };
}

async function choose(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Start' }).click();
}

const sample = [
  { place: 'Oslo', celsius: -3, at: '2026-11-23T09:00:00Z', sky: 'clear' },
  { place: 'Rome', celsius: 12, at: '2026-11-23T09:00:05Z', sky: 'clear' },
  { place: 'Lima', celsius: 19, at: '2026-11-23T09:00:07Z', sky: 'cloudy', note: 'new' },
];

it('the first minute leads from the link to the first entry, on a phone', async () => {
  const { sluice, link } = await start();
  const page = await openPage(sluice, link, { viewport: phone, colorScheme: 'dark' });
  // The first page of entries is read before one is stored, and the total after it.
  const early = { result: [], pagination: { total: 1, next: null } };
  await page.route('**/data?limit=1', (route) => route.fulfill({ json: { success: true, data: early } }), {
    times: 1,
  });
  await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor();
  await expectAccessible(page);
  await choose(page, 'ada');
  await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create an application' }).click();
  await page.getByLabel('A sample of your data').fill(sample.map((row) => JSON.stringify(row)).join('\n'));
  await page.getByText('All 3 rows of the sample conform').waitFor();
  await page.getByLabel('Type: /celsius').selectOption('number');
  await page.getByLabel('Required: /place').uncheck();
  await page.getByLabel('Only these values: /sky').check();
  await expectAccessible(page);
  await page.getByLabel('Name of the application').fill('Weather station');
  await page.getByLabel('Uploads need a key').check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Waiting for the first entry').waitFor();
  const program = await page.locator('pre:visible', { hasText: 'curl' }).textContent();
  expect((await run('bash', ['-c', program as string])).stdout).toContain('"status":201');
  await page.getByText('The first entry is there').waitFor();
  await expectAccessible(page);

  const login = await sluice.request('POST', '/users/login', { json: { username: 'ada', password } });
  const { token } = login.body.data;
  const { body } = await sluice.request('GET', '/applications', { token });
  expect(body.data).toMatchObject([
    {
      name: 'Weather station',
      key_required: true,
      template: {
        schema: {
          type: 'object',
          properties: {
            place: { type: 'string' },
            celsius: { type: 'number' },
            at: { type: 'string', format: 'date-time' },
            sky: { type: 'string', enum: ['clear', 'cloudy'] },
            note: { type: 'string' },
          },
          required: ['celsius', 'at', 'sky'],
        },
      },
    },
  ]);
  await page.getByRole('link', { name: 'See the entries' }).click();
  await page.getByRole('heading', { name: 'Entries', exact: true }).waitFor();
});

it('a link that was used leads home in the same browser, and to the sign-in page without a session', async () => {
  const { sluice, link } = await start();
  const page = await openPage(sluice, link);
  await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor();
  await expectAccessible(page);
  await choose(page, 'ada');
  await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
  await expectAccessible(page);
  await page.goto(link);
  await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
  await signOut(page);
  await page.getByText('You are signed out.').waitFor();
  await page.goto(link);
  await page.getByText('This link was used already').waitFor();
  const other = await openPage(sluice, link);
  await choose(other, 'bob');
  await other.getByText('This link was used already').waitFor();
  await expectAccessible(other);
});

it('says which row of a sample, and what of a schema, is wrong', async () => {
  const { sluice, link } = await start();
  const page = await openPage(sluice, link);
  await choose(page, 'ada');
  await page.getByRole('link', { name: 'Create an application' }).click();
  const input = page.getByLabel('A sample of your data');
  const conforms = page.getByText(/^(The sample conforms|All \d+ rows of the sample conform)$/);
  for (const bad of [
    '{"celsius":',
    '{"__proto__":1}',
    '{"a":1e400}',
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  ]) {
    await input.fill(bad);
    await page.getByText(/^Row 1: /).waitFor();
    await input.fill(`{"celsius":1}\n${bad}\n{"celsius":3}`);
    await page.getByText(/^Row 2: /).waitFor();
    await page.getByLabel('Required: /celsius').waitFor();
    expect(await conforms.count()).toBe(0);
  }
  for (const delimiter of [',', ';', '\t', '|']) {
    await input.fill(`place${delimiter}celsius\n"Rome, ${delimiter}"${delimiter}1\nOslo\n`);
    await page.getByText('Row 3: the record has 1 cells, there are 2 columns').waitFor();
    await page.getByLabel('Type: /celsius').waitFor();
  }
  await input.fill('celsius\n1\n2\n');
  await page.getByText('All 2 rows of the sample conform').waitFor();
  await page.getByText('Show and change the schema').click();
  const schema = page.getByLabel('Schema', { exact: true });
  await schema.fill('{"type":"object","properties":{"celsius":{"type":"number","maximum":1}}}');
  await page.getByText(/^Row 3 \/celsius/).waitFor();
  await schema.fill(`${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`);
  await page.getByText('The sample cannot be checked with this schema').waitFor();
  await schema.fill('{"type":"object","properties":{"celsius":{"type":"nubmer"}}}');
  await page.getByLabel('Name of the application').fill('Weather station');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('`nubmer` is not a type, at /properties/celsius/type').waitFor();
  await expectAccessible(page);
  const part = '{"celsius":{"type":"number","minLenght":1}}';
  await schema.fill(`{"type":"object","properties":${part},"required":["zzz"]}`);
  const slips = page.getByText('minLenght is not a keyword; did you mean minLength?');
  await slips.waitFor();
  await page.getByText('/required/0 names zzz, which is not in properties').waitFor();
  expect(await page.locator('.cm-lintRange-warning').count()).toBe(2);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('The schema probably has slips').waitFor();
  await slips.waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Change the schema' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  await page.goto('/applications/new');
  await input.fill('celsius\n1\n2\n');
  await page.getByText('Show and change the schema').click();
  await schema.fill('{"type":"object"}');
  await page.getByRole('button', { name: 'Take the schema from the sample' }).click();
  await page.getByText('All 2 rows of the sample conform').waitFor();
});

it('infers what may be missing and null, and says which cell is odd', async () => {
  const { sluice, link } = await start();
  const page = await openPage(sluice, link);
  await choose(page, 'ada');
  await page.getByRole('link', { name: 'Create an application' }).click();
  const input = page.getByLabel('A sample of your data');
  await input.fill('{\n  "place": "Oslo",\n  "note": null,\n  "celsius": 3\n}');
  await page.getByText('The sample conforms').waitFor();
  await page.getByText('One sample proves little', { exact: false }).waitFor();
  expect(await page.getByLabel('Required: /place').isChecked()).toBe(true);
  expect(await page.getByLabel('Required: /note').isChecked()).toBe(false);
  expect(await page.getByLabel('Type: /note').inputValue()).toBe('string');
  await page.getByLabel('Type: /note').selectOption('number');
  await input.press('ControlOrMeta+End');
  await input.pressSequentially('\n{ "note": true, "celsius": 3.5 }');
  await page.getByText('All 2 rows of the sample conform').waitFor();
  expect(await page.getByLabel('Required: /place').isDisabled()).toBe(true);
  await page.getByRole('row', { name: 'note boolean or null' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'celsiusnumberin 2 of 2' }).waitFor();
  await expectAccessible(page);

  await input.fill(`celsius\n1\n2\n3\nn/a\n5\n`);
  await page.getByText('Row 5: /celsius: "n/a" is not of type number', { exact: false }).waitFor();
  await page.getByText('4 of 5 cells are of type number; string takes all').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Type: /celsius').selectOption('string');
  await page.getByText('All 5 rows of the sample conform').waitFor();
});

it('a session that ends leads to the sign-in page and back', async () => {
  const sluice = await consoleSluice();
  const owner = await sluice.owner();
  const domain = await sluice.application(owner.token);
  const page = await openAs(sluice, owner, `/applications/${domain}/jobs`);
  const json = { old_password: password, new_password: 'staple battery horse' };
  await sluice.request('PUT', '/users/me/password', { token: owner.token, json });
  await page.reload();
  await page.getByText('Sign in to continue where you were.').waitFor();
  await page.getByLabel('Username').fill(owner.username);
  await page.getByLabel(/^Password/).fill('staple battery horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/applications/${domain}/jobs`);
});
