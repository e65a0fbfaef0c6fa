import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { phone, screenshot } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: Sluice;
let owner: { username: string; token: string };

const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' }, note: { type: 'string' } },
};

beforeAll(async () => {
  sluice = await startSluice();
  owner = await sluice.owner();
});
afterAll(() => sluice.stop());

const entry = (n: number) => ({ place: n % 2 ? 'Oslo' : 'Rome', celsius: n });

/** An application with so many entries. */
async function start(count: number) {
  const domain = await sluice.application(owner.token, schema);
  const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { json });
  const json = Array.from({ length: count }, (_, n) => entry(n));
  if (count > 0) await sluice.request('POST', `/applications/${domain}/data/batch`, { json });
  return { domain, path: `/applications/${domain}/entries`, upload };
}

const cellsOf = (page: Page, column: number) =>
  page.locator(`tbody tr td:nth-child(${column})`).allTextContents();

describe('the entries of an application', () => {
  it('are listed newest first, page by page, with the columns of choice', async () => {
    const { path } = await start(120);
    const page = await openAs(sluice, owner, path);
    await page.getByText('120 entries').waitFor();
    expect((await cellsOf(page, 3)).slice(0, 3)).toEqual(['119', '118', '117']);
    await page.getByText('120 accepted, 0 refused').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'entries-desktop-light');

    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('cell', { name: '69', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('cell', { name: '19', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('cell', { name: '119', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Columns (3 of 3)' }).click();
    await page.getByRole('checkbox', { name: 'place' }).uncheck();
    await expectAccessible(page);
    expect(await page.locator('thead th').allTextContents()).toEqual(['Created', 'celsius', 'note']);
  });

  it('are found by conditions and by a period', async () => {
    const { path } = await start(30);
    const page = await openAs(sluice, owner, path);
    await page.getByText('30 entries').waitFor();
    await page.getByLabel('Value').fill('Oslo');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText('15 entries').waitFor();
    await page.getByLabel('Field').selectOption('celsius');
    await page.getByLabel('Comparison').selectOption('≥');
    await page.getByLabel('Value').fill('warm');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText('Enter a number').waitFor();
    await page.getByLabel('Value').fill('20');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText('5 entries').waitFor();
    expect(await cellsOf(page, 3)).toEqual(['29', '27', '25', '23', '21']);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove the filter place = Oslo' }).click();
    await page.getByText('10 entries').waitFor();
    await page.getByLabel('To').fill('2020-01-01T00:00');
    await page.getByText('No entries match').waitFor();
    await page.getByRole('button', { name: 'All time' }).click();
    await page.getByText('10 entries').waitFor();
    await page.getByLabel('From').fill('2090-01-01T00:00');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('30 entries').waitFor();
  });

  it('are listed, fewer at a time, where they are very large', async () => {
    const { path, upload } = await start(1);
    for (let n = 1; n <= 20; n++) await upload({ ...entry(n), note: 'x'.repeat(900_000) });
    const page = await openAs(sluice, owner, path);
    await page.getByText('21 entries').waitFor();
    const first = await cellsOf(page, 3);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('cell', { name: '0', exact: true }).waitFor();
    expect([...first, ...(await cellsOf(page, 3))]).toEqual(
      Array.from({ length: 21 }, (_, n) => `${20 - n}`),
    );
  });

  it('are shown whole beside the table, and deleted there', async () => {
    const { path } = await start(3);
    const page = await openAs(sluice, owner, path, { viewport: phone, colorScheme: 'dark' });
    await page.getByText('3 entries').waitFor();
    await screenshot(page, 'entries-phone-dark');
    await page.locator('tbody button').first().click();
    const panel = page.getByRole('dialog', { name: 'Entry' });
    await panel.getByText('"celsius": 2').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'entry-phone-dark');
    await panel.getByRole('button', { name: 'Delete the entry' }).click();
    await page
      .getByRole('dialog', { name: 'Delete the entry' })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await page.getByText('2 entries').waitFor();
    expect(await cellsOf(page, 3)).toEqual(['1', '0']);
  });

  it('come by themselves while the page is live', async () => {
    const { path, upload } = await start(1);
    const page = await openAs(sluice, owner, path);
    await page.getByText('1 entry').waitFor();
    await page.getByRole('switch', { name: 'Live' }).click();
    for (const n of [1, 2, 3]) {
      await upload(entry(n));
      await page.getByRole('cell', { name: `${n}`, exact: true }).waitFor();
    }
    expect(await cellsOf(page, 3)).toEqual(['3', '2', '1', '0']);
    await page.getByText('4 entries').waitFor();
    expect(await page.getByRole('switch', { name: 'Live' }).isChecked()).toBe(true);
    await expectAccessible(page);
    await screenshot(page, 'entries-live-desktop-light');
  });

  it('are of the period that is marked in the chart', async () => {
    const { path } = await start(5);
    const page = await openAs(sluice, owner, path);
    // What comes later can change the width of the page, and so the chart.
    await page.getByText('5 entries').waitFor();
    await page.getByText('5 accepted, 0 refused').waitFor();
    const plot = page.locator('.u-over');
    const box = await plot.boundingBox();
    if (!box) throw new Error('there is no chart');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.2, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, y, { steps: 5 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'All time' }).waitFor();
    expect(await page.getByLabel('From').inputValue()).toMatch(/^\d{4}-/);
    expect(await page.getByLabel('To').inputValue()).toMatch(/^\d{4}-/);
  });
});
