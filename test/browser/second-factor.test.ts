import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { codeOf, wrongCodeOf } from '../support/authenticator.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { openPage, phone } from './support/open-page.ts';
import { readQrCode } from './support/read-qr-code.ts';
import { openAs, signOut } from './support/sign-in.ts';

let sluice: Sluice;
/** Requires a second factor. */
let strict: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { SECRETS_KEY: 'a secret of tests' } });
  strict = await startSluice({ workers: false, env: { ...sluice.env, SECOND_FACTOR: 'required' } });
});
afterAll(() => Promise.all([sluice.stop(), strict.stop()]));

const section = (page: Page) => page.getByRole('region', { name: 'Second factor' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Sets it up as its user would; returns what the app and the user have. */
async function setUp(page: Page) {
  await section(page).getByRole('button', { name: 'Set up' }).click();
  const url = await readQrCode(page.getByRole('img', { name: 'QR code for your authenticator app' }));
  const shown = await page.getByLabel('Recovery codes', { exact: true }).textContent();
  const recovery = (shown ?? '').split('\n');
  return { url, recovery };
}

async function fillIn(page: Page, username: string, password = 'correct horse') {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await button(page, 'Sign in').click();
}

describe('a second factor', () => {
  it('is set up from a QR code, asked for at the next sign-in, and turned off', async () => {
    const owner = await sluice.owner();
    const page = await openAs(sluice, owner, '/profile', { viewport: phone, colorScheme: 'dark' });
    const { url, recovery } = await setUp(page);
    expect(url).toContain(`/Sluice:${owner.username}%40127.0.0.1?issuer=Sluice&secret=`);
    await section(page)
      .getByText(new URL(url).searchParams.get('secret') as string, { exact: true })
      .waitFor();
    expect(recovery).toHaveLength(10);
    await expectAccessible(page);
    await section(page).getByRole('textbox', { name: 'Code', exact: true }).fill(wrongCodeOf(url));
    await button(page, 'Turn on').click();
    await page.getByText('Wrong code. Each works once').waitFor();
    await section(page).getByRole('textbox', { name: 'Code', exact: true }).fill(codeOf(url));
    await button(page, 'Turn on').click();
    await page.getByText('On. 10 recovery codes are left.').waitFor();
    expect(await page.getByText(recovery[0] as string).count()).toBe(0);

    await signOut(page);
    await fillIn(page, owner.username);
    const code = page.getByRole('textbox', { name: 'Code', exact: true });
    await page.locator('input[name=code]:focus').waitFor();
    await expectAccessible(page);
    await code.fill('000 000 0');
    await button(page, 'Sign in').click();
    await page.getByText('Wrong code. Each works once').waitFor();
    await button(page, 'Back').click();
    await fillIn(page, owner.username, 'wrong horse');
    await page.getByText('Wrong username or password').waitFor();
    await fillIn(page, owner.username);
    await code.fill(codeOf(url, 1));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();

    await page.goto('/profile');
    await section(page)
      .getByRole('textbox', { name: 'Code', exact: true })
      .fill(recovery[0] as string);
    await button(page, 'Turn off').click();
    await button(page, 'Set up').waitFor();
    const json = { username: owner.username, password: 'correct horse' };
    expect((await sluice.request('POST', '/users/login', { json })).status).toBe(200);
  });

  it('is asked for after a new password, chosen here or by a link', async () => {
    const owner = await sluice.owner();
    const page = await openAs(sluice, owner, '/profile');
    const { url, recovery } = await setUp(page);
    await section(page).getByRole('textbox', { name: 'Code', exact: true }).fill(codeOf(url));
    await button(page, 'Turn on').click();
    await page.getByText('On. 10 recovery codes are left.').waitFor();
    await page.getByLabel('Current password').fill('correct horse');
    await page.getByLabel('New password').fill('staple battery horse');
    await button(page, 'Change password').click();
    await page.getByText('Sign in to continue where you were.').waitFor();
    await fillIn(page, owner.username, 'staple battery horse');
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(recovery[0] as string);
    await button(page, 'Sign in').click();
    await page.getByText(`You are signed in as ${owner.username}.`).waitFor();

    const { stdout } = await admin(sluice.env, [
      'users',
      'reset-password',
      owner.username,
      '--url',
      sluice.url,
    ]);
    const other = await openPage(sluice, stdout.trim().slice(sluice.url.length));
    await other.getByLabel('New password').fill('another long horse');
    await button(other, 'Set the password').click();
    await fillIn(other, owner.username, 'another long horse');
    await other.getByRole('textbox', { name: 'Code', exact: true }).fill(recovery[1] as string);
    await button(other, 'Sign in').click();
    await other.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
  });

  it('comes before anything else where it is required', async () => {
    const owner = await strict.owner();
    const page = await openAs(strict, owner, '/applications');
    await page.getByText('This installation requires a second factor').waitFor();
    expect(new URL(page.url()).pathname).toBe('/profile');
    expect(await page.getByRole('region', { name: 'Personal tokens' }).count()).toBe(0);
    const { url } = await setUp(page);
    await section(page).getByRole('textbox', { name: 'Code', exact: true }).fill(codeOf(url));
    await button(page, 'Turn on').click();
    await page.getByText('On. 10 recovery codes are left.').waitFor();
    await page.getByRole('region', { name: 'Personal tokens' }).waitFor();
    await page.getByRole('link', { name: 'Sluice' }).click();
    await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
  });
});
