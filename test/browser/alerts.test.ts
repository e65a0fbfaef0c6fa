import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedSluice, sharedSluice, storeOf } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { openPage, phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  // Without workers: what is to be sent waits.
  const env = { MAIL_FROM: 'sluice@example.com', PUBLIC_URL: 'https://sluice.example' };
  sluice = await sharedSluice({ workers: false, env });
});

describe('an e-mail', () => {
  it('is set in the profile, confirmed by its link, and deleted', async () => {
    const owner = await sluice.owner();
    const page = await openAs(sluice, owner, '/profile');
    await page.getByText('You have no e-mail here').waitFor();
    await page.getByLabel('New e-mail').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('ada@example.com waits for you').waitFor();
    await expectAccessible(page);

    const { users, addresses } = storeOf(sluice);
    const { id } = (await users.byName(owner.username)) ?? expect.unreachable();
    const { code } = (await addresses.issueCode(id, 60_000)) ?? expect.unreachable();
    const link = await openPage(sluice, `/confirm-email#${code}`, { viewport: phone, colorScheme: 'dark' });
    await expectAccessible(link);
    await link.getByRole('button', { name: 'Confirm the e-mail' }).click();
    await link.getByText('The e-mail is confirmed.').waitFor();
    const again = await openPage(sluice, `/confirm-email#${code}`);
    await again.getByRole('button', { name: 'Confirm the e-mail' }).click();
    await again.getByText('This link does not work any more').waitFor();

    await page.reload();
    await page.getByText('Mails go to ada@example.com.').waitFor();
    await page.getByRole('button', { name: 'Delete the e-mail' }).click();
    await page.getByText('You have no e-mail here').waitFor();
  });
});

describe('alerts', () => {
  it('are chosen in the settings of an application', async () => {
    const owner = await sluice.owner();
    const domain = await sluice.application(owner.token);
    await sluice.request('POST', `/applications/${domain}/data`, { token: owner.token, json: { n: 1 } });
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
    const section = page.getByRole('region', { name: 'Alerts' });
    await section.getByText('You have no confirmed e-mail').waitFor();
    await section.getByLabel('It falls silent').check();
    await section.getByText('5 would have been unusual').waitFor();
    await section.getByLabel('Minutes without an entry').fill('90');
    await section.getByLabel('Uploads are refused often').check();
    await section.getByLabel('Refused uploads').fill('7');
    await expectAccessible(page);
    await section.getByRole('button', { name: 'Save alerts' }).click();
    await page.getByText('The alerts were saved.').waitFor();
    const saved = async () =>
      (await sluice.request('GET', `/users/me/alerts/${domain}`, { token: owner.token })).body.data;
    expect(await saved()).toMatchObject({ silence: 90, refused: { count: 7, minutes: 5 } });

    await page.reload();
    await section.getByLabel('It falls silent').uncheck();
    await section.getByRole('button', { name: 'Save alerts' }).click();
    await page.getByText('The alerts were saved.').waitFor();
    expect(await saved()).not.toHaveProperty('silence');
  });
});
