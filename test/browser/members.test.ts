import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner('ada');
  domain = await sluice.application(owner.token);
});

const roles = async (token: string) => {
  const { body } = await sluice.request('GET', `/applications/${domain}/members`, { token });
  return body.data?.map(({ role }: { role: string }) => role);
};

describe('the members of an application', () => {
  it('are invited, get another role and are removed by the owner', async () => {
    const grace = await sluice.owner('grace');
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
    await page.getByLabel('Username').fill('nobody');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('user nobody was not found').waitFor();
    await page.getByLabel('Username').fill('grace');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByLabel('Role of grace').selectOption('Editor');
    await page.getByRole('listitem').filter({ hasText: 'grace' }).getByText('Editor since').waitFor();
    expect(await roles(grace.token)).toEqual(['owner', 'editor']);
    await page.getByRole('button', { name: 'Remove grace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Role of grace').waitFor({ state: 'detached' });
    expect(await roles(grace.token)).toBeUndefined();
  });

  it('find it beside their own, see what they may do, and leave', async () => {
    const linus = await sluice.owner('linus');
    const path = `/applications/${domain}/members/linus`;
    await sluice.request('PUT', path, { token: owner.token, json: { role: 'reader' } });
    const page = await openAs(sluice, linus, '/applications', { colorScheme: 'dark' });
    const shared = page.getByRole('region', { name: 'Shared with me' });
    await shared.getByRole('cell', { name: 'ada' }).waitFor();
    await shared.getByRole('cell', { name: 'Reader' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('test / send');
    await page.getByRole('option', { name: /Send data/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/applications/${domain}/send`);
    const links = page.getByRole('navigation', { name: 'Sections of the application' }).getByRole('link');
    await links.getByText('Settings').waitFor();
    expect(await links.allTextContents()).toEqual([
      'Overview',
      'Entries',
      'Ask',
      'Schema',
      'Send data',
      'Exports and imports',
      'Activity',
      'Settings',
    ]);
    expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);
    await links.getByText('Exports and imports').click();
    await page.getByRole('button', { name: 'New export' }).waitFor();
    expect(await page.getByRole('button', { name: 'New import' }).count()).toBe(0);
    await links.getByText('Activity').click();
    const row = page.getByRole('row').filter({ hasText: 'username: linus' });
    await row.getByRole('cell', { name: 'ada' }).waitFor();
    await row.getByRole('cell', { name: 'role: reader' }).first().waitFor();
    await expectAccessible(page);
    await links.getByText('Settings').click();
    await page.getByRole('button', { name: 'Leave this application' }).click();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('No applications yet').waitFor();
    expect(await roles(linus.token)).toBeUndefined();
  });
});
