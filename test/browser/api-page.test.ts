import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sluice, startSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { desktop, openPage, phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

/** The library of the page has headings and landmarks of its own. */
const ofLibrary = ['serious', 'critical'];

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
});
afterAll(() => sluice.stop());

/** The page has more routes as it is scrolled. */
async function findOperation(page: Page, id: string): Promise<Locator> {
  const operation = page.locator(`#operations-${id}`);
  await until(async () => {
    await page.mouse.wheel(0, 1_000);
    return (await operation.count()) > 0;
  });
  return operation;
}

describe('the API page', () => {
  it('lists all routes, and has room for one on two screens', async () => {
    const page = await openPage(sluice, '/api/docs', { colorScheme: 'dark' });
    const operation = await findOperation(page, 'Applications-createApplication');
    await operation.getByText('Create an application').click();
    await operation.getByRole('button', { name: 'Execute' }).waitFor();
    await expectAccessible(page, ofLibrary);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      expect((await operation.boundingBox())?.height).toBeLessThan(2 * viewport.height);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await expectAccessible(page, ofLibrary);
    expect(await page.locator('.topbar').count()).toBe(0);
  });

  it('sends the example of a route as it stands', async () => {
    const page = await openPage(sluice, '/api/docs');
    for (const [id, summary] of [
      ['registerUser', 'Register a user'],
      ['logIn', 'Log in'],
    ] as const) {
      const operation = await findOperation(page, `Accounts-${id}`);
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
    const operation = await findOperation(page, 'Applications-getApplication');
    await operation.getByText('Get an application').click();
    await page.getByRole('button', { name: 'authorization button locked' }).first().waitFor();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status').getByText('200').waitFor();
    await page.getByRole('link', { name: 'Back to the console' }).click();
    await page.waitForURL(`**/applications/${domain}/entries`);
  });
});
