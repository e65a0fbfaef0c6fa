import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { openAs, signOut } from './support/sign-in.ts';

let sluice: Sluice;
beforeAll(async () => {
  // Pages of all origins may call the API: sessions must stay closed to them.
  sluice = await startSluice({ workers: false, env: { CORS_ORIGINS: '*' } });
});
afterAll(() => sluice.stop());

const signedIn = (page: Page) => page.getByText('You are signed in as').waitFor();

/** A browser with two tabs on the profile page. */
async function twoTabs() {
  const owner = await sluice.owner();
  const first = await openAs(sluice, owner, '/profile');
  await signedIn(first);
  const second = await first.context().newPage();
  await second.goto('/profile');
  await signedIn(second);
  return { owner, first, second, context: first.context() };
}

/** Within 2 s of its next request. */
async function ends(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.waitForURL('**/sign-in?then=%2Faudit', { timeout: 2_000 });
}

describe('a browser that is signed in', () => {
  it('is so in a new tab, after a reload and behind a link, and keeps no token that lasts', async () => {
    const { first, second, context } = await twoTabs();
    await first.reload();
    await signedIn(first);
    // A mail program opens the link from another site.
    const mail = await context.newPage();
    await mail.setContent(`<a href="${sluice.url}/audit?from=2026">open</a>`);
    await mail.getByRole('link').click();
    await mail.getByRole('heading', { name: 'Audit log' }).waitFor();
    expect(new URL(mail.url()).search).toBe('?from=2026');
    for (const path of ['/profile', '/api/session', '/api/session/renew']) {
      await second.goto(path);
      const seen = await second.evaluate<unknown[]>(
        'window.cookieStore.getAll().then((all) => [document.cookie, all, { ...sessionStorage }, { ...localStorage }])',
      );
      expect(JSON.stringify(seen)).not.toContain('eyJ');
      expect(seen.slice(0, 2)).toEqual(['', []]);
    }
    expect(await context.cookies(`${sluice.url}/api/session`)).toEqual([
      expect.objectContaining({ name: 'sluice_session', httpOnly: true, sameSite: 'Strict' }),
    ]);
    expect(await context.cookies(sluice.url)).toEqual([]);
  });

  it('is signed out in all tabs at once', async () => {
    const { first, second } = await twoTabs();
    await signOut(first);
    for (const page of [first, second]) {
      await page.getByText('You are signed out.').waitFor({ timeout: 2_000 });
      await page.goto('/profile');
      await page.getByText('Sign in to continue where you were.').waitFor();
    }
    // Who signs in in one tab goes on in the others.
    await first.getByLabel('Username').fill((await sluice.owner('grace')).username);
    await first.getByLabel(/^Password/).fill('wrong horse');
    await first.getByRole('button', { name: 'Sign in' }).click();
    await first.getByText('Wrong username or password').waitFor();
    expect(await first.getByRole('alert').count()).toBe(0);
    await first.getByLabel(/^Password/).fill('correct horse');
    await first.getByRole('button', { name: 'Sign in' }).click();
    for (const page of [first, second]) {
      await page.getByText('You are signed in as grace').waitFor();
      expect(new URL(page.url()).pathname).toBe('/profile');
    }
  });

  it('ends with a new password that was chosen elsewhere', async () => {
    const { owner, first, second } = await twoTabs();
    const json = { old_password: 'correct horse', new_password: 'staple battery horse' };
    await sluice.request('PUT', '/users/me/password', { token: owner.token, json });
    await Promise.all([ends(first), ends(second)]);
  });

  it('ends when the operator disables the user', async () => {
    const { owner, first, second } = await twoTabs();
    await admin(sluice.env, ['users', 'disable', owner.username]);
    await Promise.all([ends(first), ends(second)]);
  });

  it('stays signed in with a password that was chosen here', async () => {
    const { first, second } = await twoTabs();
    await first.getByLabel('Current password').fill('correct horse');
    await first.getByLabel('New password').fill('staple battery horse');
    await first.getByRole('button', { name: 'Change password' }).click();
    await first.getByText('The password was changed.').waitFor();
    for (const page of [first, second]) {
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('cell', { name: 'user.password-changed' }).waitFor();
    }
  });
});

/** A page at `host` with a port of its own. */
async function otherOrigin(context: BrowserContext, host: string): Promise<Page> {
  const server = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end('<p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const page = await context.newPage();
  await page.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
  return page;
}

describe.each([
  ['of the same site', '127.0.0.1'],
  ['of another site', 'localhost'],
])('a page of another origin, %s,', (_what, host) => {
  it('renews nothing, and signs nobody in or out', async () => {
    const { owner, first, context } = await twoTabs();
    const page = await otherOrigin(context, host);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).origin === sluice.url) statuses.push(response.status());
    });
    const calls: [method: string, path: string, how: object][] = [
      ['POST', '/session/renew', { mode: 'no-cors', credentials: 'include' }],
      ['POST', '/session/renew', { credentials: 'include' }],
      ['POST', '/session/renew', {}],
      ['POST', '/session', { credentials: 'include', headers: { 'content-type': 'application/json' } }],
      ['DELETE', '/session', { credentials: 'include' }],
      ['DELETE', '/session', {}],
    ];
    for (const [method, path, how] of calls) {
      const body = path === '/session' && method === 'POST' && JSON.stringify({ ...owner, password: 'x' });
      const init = JSON.stringify({ method, ...how, ...(body && { body }) });
      const text = await page.evaluate<string>(
        `fetch('${sluice.url}/api${path}', ${init}).then((answer) => answer.text(), () => '')`,
      );
      expect(text).not.toContain('eyJ');
    }
    await page.setContent(`<form method="post" action="${sluice.url}/api/session/renew"><button>go</button>`);
    await page.getByRole('button').click();
    await page.getByText('only pages of this origin may use a session').waitFor();
    expect(new Set(statuses)).toEqual(new Set([403]));
    await first.getByRole('link', { name: 'Audit log' }).click();
    await first.getByRole('cell', { name: 'user.logged-in' }).first().waitFor();
    await first.reload();
    await first.getByRole('heading', { name: 'Audit log' }).waitFor();
  });
});
