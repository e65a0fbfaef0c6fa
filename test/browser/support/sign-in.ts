import type { Page } from 'playwright-core';
import type { Sluice } from '../../support/sluice.ts';
import { openPage, type View } from './open-page.ts';

/** Opens a page of the console and signs in as the owner. Call in a test. */
export async function openAs(
  sluice: Pick<Sluice, 'url'>,
  { username }: { username: string },
  path: string,
  view?: View,
): Promise<Page> {
  const page = await openPage(sluice, path, view);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**${path}`);
  return page;
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}
