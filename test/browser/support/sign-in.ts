import type { Page } from 'playwright-core';
import type { Sluice } from '../../support/sluice.ts';
import { openPage, type View } from './open-page.ts';

/** Opens a page of the console, signed in as the owner. Call in a test. */
export const openAs = (
  sluice: Pick<Sluice, 'url'>,
  { username }: { username: string },
  path: string,
  view?: View,
): Promise<Page> =>
  openPage(sluice, path, view, (context) =>
    context.request.post('/api/session', {
      data: { username, password: 'correct horse' },
      headers: { origin: sluice.url },
      failOnStatusCode: true,
    }),
  );

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}
