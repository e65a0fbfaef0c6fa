import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { desktop, openPage, phone, screenshot } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
});
afterAll(() => sluice.stop());

describe('the API page', () => {
  it.each([
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
  ] as const)(
    'lists all routes, and has room for one on two screens: %s',
    async (name, viewport, colorScheme) => {
      const page = await openPage(sluice, '/api/docs', { viewport, colorScheme });
      const operation = page.locator('#operations-Applications-createApplication');
      await operation.getByText('Create an application').click();
      await operation.getByRole('button', { name: 'Execute' }).waitFor();
      await screenshot(page, `api-${name}`);
      await expectAccessible(page);
      expect((await operation.boundingBox())?.height).toBeLessThan(2 * viewport.height);
      expect(await page.locator('.topbar').count()).toBe(0);
    },
  );

  it('sends the example of a route as it stands', async () => {
    const page = await openPage(sluice, '/api/docs');
    for (const [id, summary] of [
      ['registerUser', 'Register a user'],
      ['logIn', 'Log in'],
    ] as const) {
      const operation = page.locator(`#operations-Accounts-${id}`);
      await operation.getByText(summary).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    }
  });
  it('leads back to the console, and has its session and its application at hand', async () => {
    const owner = await sluice.owner();
    const domain = await sluice.application(owner.token);
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'API docs' }).click();
    const operation = page.locator('#operations-Applications-getApplication');
    await operation.getByText('Get an application').click();
    await page.getByRole('button', { name: 'authorization button locked' }).first().waitFor();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'api-session-desktop-light');
    await page.getByRole('link', { name: 'Back to the console' }).click();
    await page.waitForURL(`**/applications/${domain}/entries`);
  });
});
