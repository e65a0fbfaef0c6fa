import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { desktop, openPage, phone, screenshot } from './support/open-page.ts';

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
  ] as const)('lists all routes: %s', async (name, viewport, colorScheme) => {
    const page = await openPage(sluice, '/api/docs', { viewport, colorScheme });
    await page.getByText('Create an application').waitFor();
    await screenshot(page, `api-${name}`);
  });
});
