import { beforeAll, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

it('makes a personal token for an application, shows it once, and revokes it', async () => {
  const owner = await sluice.owner();
  const domain = await sluice.application(owner.token);
  const page = await openAs(sluice, owner, '/profile', { viewport: phone, colorScheme: 'dark' });
  await page.getByText('New token').click();
  await page.getByLabel('Name').fill('Nightly export');
  await page.getByLabel('Read what').uncheck();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('must not have fewer than 1 items').first().waitFor();
  await page.getByLabel('Read what').check();
  await page.getByLabel('Expires').selectOption('In 90 days');
  await page.getByRole('combobox', { name: 'Only these applications' }).click();
  await page.getByRole('option', { name: 'Test' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByLabel('Token', { exact: true });
  const token = await shown.inputValue();
  await page.getByRole('button', { name: 'Copy: Token' }).waitFor();
  await page.getByText(/^expires .* · not used yet/).waitFor();
  const status = async () => (await sluice.request('GET', `/applications/${domain}`, { token })).status;
  expect(await status()).toBe(200);
  await expectAccessible(page);
  await page.reload();
  await page.getByText('last used').waitFor();
  expect(await shown.count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke token Nightly export' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await until(async () => (await status()) === 401);
});

it('opens the form as `sluice login` asks', async () => {
  const owner = await sluice.owner();
  const page = await openAs(sluice, owner, '/profile?token_name=sluice+on+laptop&scopes=read,upload');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByLabel('Token', { exact: true }).inputValue();
  const { body } = await sluice.request('GET', '/users/me/tokens', { token: owner.token });
  expect(body.data).toMatchObject([{ name: 'sluice on laptop', scopes: ['read', 'upload'] }]);
  expect((await sluice.request('GET', '/users/me', { token })).status).toBe(200);
});
