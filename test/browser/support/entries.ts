import type { Page } from 'playwright-core';
import type { SharedSluice } from '../../support/sluice.ts';

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    celsius: { type: 'number' },
    note: { type: 'string' },
    sky: { type: 'string', enum: ['clear', 'cloudy'] },
    tags: { type: 'array' },
  },
};

export const entry = (n: number) => ({ place: n % 2 ? 'Oslo' : 'Rome', celsius: n });

/** An application with so many entries, and what the page of entries needs. */
export async function startEntries(sluice: SharedSluice, token: string, count: number) {
  const domain = await sluice.application(token, schema);
  const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { json });
  const json = Array.from({ length: count }, (_, n) => entry(n));
  if (count > 0) await sluice.request('POST', `/applications/${domain}/data/batch`, { json });
  return { domain, path: `/applications/${domain}/entries`, upload };
}

/** The texts of a column of the table; the first one is 1. */
export const cellsOf = (page: Page, column: number) =>
  page.locator(`tbody tr td:nth-child(${column})`).allTextContents();

/** What the table says of how many there are. */
export const counted = (page: Page, text: string) =>
  page.getByRole('region', { name: 'List of entries' }).getByText(text).first().waitFor();

export const headsOf = (page: Page) => page.locator('thead th').allTextContents();

/** The query of the address. */
export const queryOf = (page: Page) => new URL(page.url()).searchParams;

/** Sets a filter by the toolbar. */
export async function addFilter(page: Page, field: string, operator: string, value?: string): Promise<void> {
  await page.getByRole('button', { name: /^Filter/ }).click();
  await page.getByLabel('Field', { exact: true }).selectOption(field);
  await page.getByLabel('Comparison').selectOption(operator);
  if (value !== undefined)
    await page
      .getByLabel(/^Value/)
      .first()
      .fill(value);
  await page.getByRole('button', { name: 'Add filter' }).click();
}
