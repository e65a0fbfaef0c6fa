import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { counted, headsOf, queryOf, startEntries } from './support/entries.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

const viewLinks = (page: Page) => page.getByRole('list', { name: 'Views of the entries' }).getByRole('link');

async function fromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function save(page: Page, name: string, isShared = false): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await dialog.getByLabel('Name of the view').fill(name);
  if (isShared) await dialog.getByLabel('Share with all members').check();
  await dialog.getByRole('button', { name: 'Save this view' }).click();
}

async function act(within: Locator, name: string, item: string): Promise<void> {
  await within.getByRole('button', { name: `Change the view ${name}`, exact: true }).click();
  await within.page().getByRole('menuitem', { name: item }).click();
}

const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

it('a view is saved, opened from the sidebar, replaced and deleted', async () => {
  const owner = await sluice.owner();
  const { path } = await startEntries(sluice, owner.token, 5);
  const page = await openAs(sluice, owner, `${path}?order=oldest&column=/place`);
  await counted(page, '5 entries');
  await fromMenu(page, 'Save and change views');
  await save(page, 'Places');
  const card = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Places' });
  await card.getByText('only you').waitFor();
  await expectAccessible(page);
  await save(page, 'Places');
  await page.getByText('there is a private view with the name Places').waitFor();
  await closeDialog(page);

  await page.goto(`${path}?last=7d`);
  await counted(page, '5 entries');
  expect(await viewLinks(page).getAttribute('aria-current')).toBeNull();
  await viewLinks(page).click();
  await until(async () => String(await headsOf(page)) === 'Created ↑,place');
  expect(queryOf(page).toString()).toBe('column=%2Fplace&order=oldest');
  expect(await viewLinks(page).getAttribute('aria-current')).toBe('true');

  await page.getByRole('button', { name: '30 d', exact: true }).click();
  await fromMenu(page, 'Save and change views');
  await page.getByRole('button', { name: 'Replace Places by what this page shows' }).click();
  await page.getByText('Places shows now what this page shows.').waitFor();
  await closeDialog(page);
  await page.goto(path);
  await viewLinks(page).click();
  await page.waitForURL((url) => url.searchParams.get('last') === '30d');
  await fromMenu(page, 'Save and change views');
  await act(page.getByRole('dialog'), 'Places', 'Delete');
  const confirm = page.getByRole('dialog', { name: 'Delete the view Places' });
  await confirm.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No views yet.').waitFor();
});

it('a view is renamed, shared, made private and deleted in the sidebar, where many are folded', async () => {
  const owner = await sluice.owner();
  const { domain, path } = await startEntries(sluice, owner.token, 1);
  const views = `/applications/${domain}/views`;
  const save = (name: string) =>
    sluice.request('POST', views, { token: owner.token, json: { name, query: `last=7d&by=/${name}` } });
  for (const name of 'abcdefgh') await save(name);
  const page = await openAs(sluice, owner, path);
  const names = () => viewLinks(page).allTextContents();
  const namesAre = (expected: string) => until(async () => (await names()).join('') === expected);
  await namesAre('abcdefgh');
  expect(await page.getByRole('button', { name: /^Show all/ }).count()).toBe(0);
  await save('i');
  await page.goto(`${path}?last=7d&by=/i`);
  await namesAre('abcdefgi');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show all 9 views' }).click();
  await namesAre('abcdefghi');
  await page.getByRole('button', { name: 'Show fewer' }).waitFor();

  await act(page.locator('body'), 'b', 'Rename');
  const dialog = page.getByRole('dialog', { name: 'Rename the view b' });
  await expectAccessible(page);
  await dialog.getByLabel('Name of the view').fill('c');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByText('there is a private view with the name c').waitFor();
  await dialog.getByLabel('Name of the view').fill('k');
  await page.keyboard.press('Enter');
  await namesAre('acdefghik');
  const ofK = async () => {
    const list = await sluice.request('GET', views, { token: owner.token });
    return list.body.data.find(({ name }: { name: string }) => name === 'k');
  };
  await act(page.locator('body'), 'k', 'Share with all members');
  await page.getByTitle('k (shared)').waitFor();
  expect(await ofK()).toMatchObject({ query: 'last=7d&by=/b', shared: true });
  await act(page.locator('body'), 'k', 'Make it private');
  await page.getByTitle('k (only you)').waitFor();
  expect(await ofK()).toMatchObject({ shared: false });
  await act(page.locator('body'), 'k', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await namesAre('acdefghi');
});

it('an editor shares a view; a reader opens it on a phone, and changes only own ones', async () => {
  const [owner, reader] = [await sluice.owner(), await sluice.owner()];
  const { domain, path } = await startEntries(sluice, owner.token, 5);
  const member = `/applications/${domain}/members/${reader.username}`;
  await sluice.request('PUT', member, { token: owner.token, json: { role: 'reader' } });
  const page = await openAs(sluice, owner, `${path}?order=oldest`);
  await fromMenu(page, 'Save and change views');
  await save(page, 'First', true);
  await page.getByRole('dialog').getByText('shared', { exact: true }).waitFor();
  await closeDialog(page);

  const other = await openAs(sluice, reader, path, { viewport: phone, colorScheme: 'dark' });
  await other.getByRole('button', { name: 'Open the menu' }).click();
  await viewLinks(other).waitFor();
  await expectAccessible(other);
  await viewLinks(other).click();
  await other.waitForURL(`**${path}?order=oldest`);
  await other.getByRole('dialog').waitFor({ state: 'detached' });
  await fromMenu(other, 'Save and change views');
  await other.getByText('shared', { exact: true }).waitFor();
  expect(await other.getByRole('button', { name: /^(Replace|Change) / }).count()).toBe(0);
  expect(await other.getByLabel('Share with all members').count()).toBe(0);
  await save(other, 'Mine');
  await other.getByRole('dialog').getByRole('button', { name: 'Change the view Mine' }).waitFor();
  await expectAccessible(other);
});

it('a copied link has fixed times', async () => {
  const owner = await sluice.owner();
  const { path } = await startEntries(sluice, owner.token, 5);
  const page = await openAs(sluice, owner, `${path}?last=24h&filter=eq:/place:Oslo`);
  await counted(page, '2 entries');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const before = Date.now();
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await expectAccessible(page);
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await page.getByText('The link was copied. Its times are fixed.').waitFor();
  const link = new URL((await page.evaluate('navigator.clipboard.readText()')) as string);
  const [from, to] = ['from', 'to'].map((name) => Date.parse(link.searchParams.get(name) ?? ''));
  expect(to).toBeGreaterThanOrEqual(before);
  expect((to as number) - (from as number)).toBe(86_400_000);
  await sluice.request('POST', `/applications/${path.split('/')[2]}/data`, { json: { place: 'Oslo' } });
  await page.goto(link.href);
  await counted(page, '2 entries');
  expect(link.origin + link.pathname).toBe(sluice.url + path);
});

it('times are in the zone of the browser, or in UTC where that is chosen', async () => {
  const owner = await sluice.owner();
  const { domain, path } = await startEntries(sluice, owner.token, 1);
  const data = await sluice.request('GET', `/applications/${domain}/data`, { token: owner.token });
  const created = Date.parse(data.body.data.result[0].createdAt);
  const textAt = (hours: number) =>
    new Date(created + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const page = await openAs(sluice, owner, '/applications');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  await page.goto(path);
  await page.getByRole('cell', { name: textAt(9) }).waitFor();
  await page.getByRole('button', { name: 'UTC+9' }).click();
  await expectAccessible(page);
  await page.getByRole('menuitemradio', { name: 'UTC' }).click();
  await page.getByRole('cell', { name: textAt(0) }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: textAt(0) }).waitFor();
  await page.getByRole('button', { name: 'Custom' }).click();
  await page.getByLabel('From').fill('2026-01-01T06:00');
  await page.getByRole('button', { name: 'Apply' }).click();
  await until(async () => queryOf(page).get('from') === '2026-01-01T06:00:00.000Z');
  await page.getByRole('button', { name: 'UTC', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Browser (Asia/Tokyo)' }).click();
  await page.getByRole('cell', { name: textAt(9) }).waitFor();
});
