import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs, signOut } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

describe('an account', () => {
  it('gets another password, and stays signed in here', async () => {
    const owner = await sluice.owner();
    const page = await openAs(sluice, owner, '/profile');
    await page.getByText(`You are signed in as ${owner.username}.`).waitFor();
    const [current, next] = [page.getByLabel('Current password'), page.getByLabel('New password')];
    const submit = page.getByRole('button', { name: 'Change password' });
    await current.fill('wrong horse');
    await next.fill('staple battery horse');
    await submit.click();
    await page.getByText('The current password is wrong').waitFor();
    await expectAccessible(page);
    await current.fill('correct horse');
    await submit.click();
    await page.getByText('The password was changed.').waitFor();
    const login = (password: string) =>
      sluice.request('POST', '/users/login', { json: { username: owner.username, password } });
    expect((await login('correct horse')).status).toBe(401);
    expect((await login('staple battery horse')).status).toBe(200);
    await page.getByRole('link', { name: 'Sluice' }).click();
    await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
    await signOut(page);
    await page.getByText('You are signed out.').waitFor();
  });

  it('shows what was done with it', async () => {
    const owner = await sluice.owner();
    const domain = await sluice.application(owner.token);
    const page = await openAs(sluice, owner, '/audit', { viewport: phone, colorScheme: 'dark' });
    const row = page.getByRole('row').filter({ hasText: 'application.created' });
    await row.getByRole('cell', { name: domain }).waitFor();
    await expectAccessible(page);
  });
});
