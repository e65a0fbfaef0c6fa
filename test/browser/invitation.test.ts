import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { adminProcess } from '../support/admin-command.ts';
import { type SharedSluice, storeOf, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { openPage, phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

/** The path of a link that the operator's command prints. */
async function link(...args: string[]): Promise<string> {
  const { stdout, stderr } = await adminProcess(sluice.env, ['users', ...args, '--url', sluice.url]);
  expect(stderr).toMatch(/^With this link \w+ sets a password, once, until /);
  return stdout.trim().slice(sluice.url.length);
}

async function choose(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
}

const logIn = async (username: string, password: string) =>
  (await sluice.request('POST', '/users/login', { json: { username, password } })).status;

describe('an invitation', () => {
  it('is a link to a page that sets the password and signs in, once', async () => {
    const path = await link('invite', 'hedy');
    const page = await openPage(sluice, path, { viewport: phone, colorScheme: 'dark' });
    await page.getByText('You are hedy.').waitFor();
    await expectAccessible(page);
    // bcrypt reads 72 bytes only.
    await choose(page, 'ü'.repeat(37));
    await page.getByText(/72 bytes/).waitFor();
    expect(await logIn('hedy', 'correct horse')).toBe(401);
    await choose(page, 'correct horse');
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await logIn('hedy', 'correct horse')).toBe(200);

    const other = await openPage(sluice, path);
    await choose(other, 'stolen horse');
    await other.getByText('This link does not work any more').waitFor();
    await expectAccessible(other);
    expect(await logIn('hedy', 'stolen horse')).toBe(401);
    await other.getByRole('link', { name: 'Sign in' }).click();
    await other.getByLabel('Username').waitFor();
  });

  it('does not work after its end', async () => {
    const path = await link('invite', 'late', '--expires', '1s');
    const { users } = storeOf(sluice);
    await until(async () => !(await users.hasCode('late', path.split(':').at(-1) as string)));
    const page = await openPage(sluice, path);
    await choose(page, 'correct horse');
    await page.getByText('This link does not work any more').waitFor();
    expect(await logIn('late', 'correct horse')).toBe(401);
  });
});

describe('a reset', () => {
  it('is such a link: the old password works until then, and all other browsers are signed out', async () => {
    const owner = await sluice.owner();
    const elsewhere = await openAs(sluice, owner, '/profile');
    const path = await link('reset-password', owner.username);
    const page = await openPage(sluice, path);
    await page.getByText(`You are ${owner.username}.`).waitFor();
    expect(await logIn(owner.username, 'correct horse')).toBe(200);
    await choose(page, 'better horse');
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
    expect(await logIn(owner.username, 'correct horse')).toBe(401);
    await elsewhere.getByRole('link', { name: 'Audit log' }).click();
    await elsewhere.waitForURL('**/sign-in?then=%2Faudit', { timeout: 2_000 });
  });

  it('signs in at once at another page, as the demo does, and only once', async () => {
    const owner = await sluice.owner();
    const path = (await link('reset-password', owner.username)).replace('/set-password', '/sign-in-once');
    const page = await openPage(sluice, path);
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
    await page.goto('/profile');
    await page.getByText(`You are signed in as ${owner.username}.`).waitFor();
    expect(await logIn(owner.username, 'correct horse')).toBe(401);
    const other = await openPage(sluice, path);
    await other.getByText('This link does not work any more').waitFor();
  });
});
