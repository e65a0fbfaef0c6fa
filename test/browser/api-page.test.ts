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

/** Shows a route if it is there, otherwise the next part of the page; after the last, the first. */
const scroll = (id: string) => `(() => {
  const operation = document.getElementById('${id}');
  if (operation) return operation.scrollIntoView({ block: 'center' }), true;
  const atEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 10;
  scrollTo(0, atEnd ? 0 : scrollY + innerHeight / 2);
  return false;
})()`;

/** The page contains only the routes near the visible part, some moments after it was scrolled. */
async function findOperation(page: Page, id: string): Promise<Locator> {
  await until(() => page.evaluate<boolean>(scroll(`operations-${id}`)));
  return page.locator(`#operations-${id}`);
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
