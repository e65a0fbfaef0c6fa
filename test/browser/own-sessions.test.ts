import { beforeAll, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

const agents = {
  Firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
};

async function signIn(username: string, agent: string): Promise<string> {
  const json = { username, password: 'correct horse' };
  const { body } = await sluice.request('POST', '/session', { json, headers: { 'user-agent': agent } });
  return body.data.token;
}

it('shows in which browsers one is signed in, and signs out one or all others', async () => {
  const owner = await sluice.owner();
  const [firefox, safari] = [
    await signIn(owner.username, agents.Firefox),
    await signIn(owner.username, agents.Safari),
  ];
  const made = { json: { name: 'n', scopes: ['read'] }, token: owner.token };
  const personal = (await sluice.request('POST', '/users/me/tokens', made)).body.data.token;
  const statuses = () =>
    Promise.all(
      [firefox, safari, personal].map(
        async (token) => (await sluice.request('GET', '/users/me', { token })).status,
      ),
    );
  const page = await openAs(sluice, owner, '/profile', { viewport: phone, colorScheme: 'dark' });
  const sessions = page.getByRole('region', { name: 'Sessions' });
  const cards = sessions.getByRole('listitem');
  await cards.nth(2).waitFor();
  await cards.filter({ hasText: 'This browser' }).getByText('127.0.0.0/24').waitFor();
  expect(await cards.filter({ hasText: 'This browser' }).getByRole('button').count()).toBe(0);
  await expectAccessible(page);
  await sessions.getByRole('button', { name: 'Sign out Firefox on Windows' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await cards.nth(2).waitFor({ state: 'detached' });
  expect(await statuses()).toEqual([401, 200, 200]);
  await sessions.getByLabel('Revoke my personal tokens too').check();
  await sessions.getByRole('button', { name: 'Sign out all other browsers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out all other browsers' }).click();
  await cards.nth(1).waitFor({ state: 'detached' });
  expect(await statuses()).toEqual([401, 401, 401]);
  await page.reload();
  await page.getByText(`You are signed in as ${owner.username}.`).waitFor();
});
