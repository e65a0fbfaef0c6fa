import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { addFilter, cellsOf, counted, entry, queryOf, startEntries } from './support/entries.ts';
import { phone, screenshot } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: Sluice;
let owner: { username: string; token: string };

beforeAll(async () => {
  sluice = await startSluice();
  owner = await sluice.owner();
});
afterAll(() => sluice.stop());

const start = (count: number) => startEntries(sluice, owner.token, count);

/** Drags over a part of the chart; 0 is its left end. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator('svg.bars').boundingBox();
  if (!box) throw new Error('there is no chart');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await page.mouse.up();
}

describe('the toolbar of the entries', () => {
  it('selects by conditions, which the address keeps', async () => {
    const { path, upload } = await start(30);
    await upload({ place: 'New Oslo', celsius: 50, sky: 'clear', tags: ['x'], extra: 7 });
    const page = await openAs(sluice, owner, path);
    await counted(page, '31 entries');
    await addFilter(page, 'place', '=', 'Oslo');
    await counted(page, '15 entries');
    await page.getByText('the chart ignores filters').waitFor();
    await page.getByText('Live is off: it takes no filters').waitFor();
    await addFilter(page, 'celsius', '≥', 'warm');
    await page.getByText('Enter a number').waitFor();
    await page.getByLabel('Value').fill('20');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await counted(page, '5 entries');
    expect(await cellsOf(page, 3)).toEqual(['29', '27', '25', '23', '21']);
    await expectAccessible(page);
    await screenshot(page, 'entries-filtered-desktop-light');

    const shared = await openAs(sluice, owner, new URL(page.url()).pathname + new URL(page.url()).search);
    await counted(shared, '5 entries');
    await page.reload();
    await counted(page, '5 entries');
    await page.getByRole('button', { name: 'Remove the filter place = Oslo' }).click();
    await counted(page, '11 entries');
    await page.goBack();
    await counted(page, '5 entries');
    await page.goBack();
    await counted(page, '15 entries');
  });

  it.each([
    ['place', 'contains', 'oSL', '2 entries'],
    ['sky', '=', 'clear', '1 entry'],
    ['tags', 'is there', undefined, '1 entry'],
    ['note', 'is missing', undefined, '3 entries'],
    ['extra', '>', '6', '1 entry'],
  ])('has for the field %s: %s %s', async (field, operator, value, found) => {
    const { path, upload } = await start(2);
    await upload({ place: 'New Oslo', celsius: 50, sky: 'clear', tags: ['x'], extra: 7 });
    const page = await openAs(sluice, owner, path);
    await counted(page, '3 entries');
    // A list of choices is filled by choosing.
    if (field === 'sky') await addFilter(page, field, operator);
    else await addFilter(page, field, operator, value);
    await counted(page, found);
  });

  it('offers no comparison with arrays', async () => {
    const { path } = await start(1);
    const page = await openAs(sluice, owner, path);
    await counted(page, '1 entry');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Field', { exact: true }).selectOption('tags');
    const offered = await page.getByLabel('Comparison').locator('option').allTextContents();
    expect(offered).toEqual(['is there', 'is missing', 'is null']);
  });

  it('selects a period: one before now, one of the user, or a part of the chart', async () => {
    const { path } = await start(5);
    const page = await openAs(sluice, owner, path);
    await counted(page, '5 entries');
    for (const [name, bar] of [
      ['1 h', '1 min'],
      ['24 h', '15 min'],
      ['7 d', '1 h'],
      ['30 d', '6 h'],
    ]) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText(`${name}: 5 entries, 0 refused, one bar = ${bar}`).waitFor();
    }
    expect(queryOf(page).get('last')).toBe('30d');

    await drag(page, 0.2, 0.4);
    await page.getByText('No entries match').waitFor();
    expect([...queryOf(page).keys()]).toEqual(['last', 'from', 'to']);
    await page.getByText('Live is off: the period has an end').waitFor();
    await page.getByRole('button', { name: 'Clear period' }).click();
    await counted(page, '5 entries');
    expect([...queryOf(page).entries()]).toEqual([['last', '30d']]);

    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From').fill('2020-02-01T00:00');
    await page.getByLabel('To (not').fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The period begins after its end').waitFor();
    await expectAccessible(page);
    await page.getByLabel('To (not').fill('2020-03-01T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No entries match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await counted(page, '5 entries');
    await page.goto(`${path}?from=2020-02-01&to=2020-01-01`);
    await page.getByText('The period begins after its end').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('folds its filters and actions on a phone', async () => {
    const { path } = await start(4);
    const page = await openAs(sluice, owner, path, { viewport: phone, colorScheme: 'dark' });
    await counted(page, '4 entries');
    await addFilter(page, 'place', '=', 'Oslo');
    await counted(page, '2 entries');
    await page.getByRole('button', { name: 'Filter (1)' }).click();
    await expectAccessible(page);
    await screenshot(page, 'entries-filter-phone-dark');
    await page.getByRole('button', { name: 'Remove the filter place = Oslo' }).click();
    await counted(page, '4 entries');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Send data' }).click();
    await page.getByRole('heading', { name: 'Send data', level: 1 }).waitFor();
  });

  it('exports what it selects, with the columns of the table', async () => {
    const { path, domain } = await start(10);
    const page = await openAs(sluice, owner, path);
    await counted(page, '10 entries');
    await page.getByRole('button', { name: '24 h' }).click();
    await addFilter(page, 'place', '=', 'Oslo');
    await counted(page, '5 entries');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'note' }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Export these' }).click();
    await page.getByText('Period: 24 h. Filters: place = Oslo.').waitFor();
    await page.getByLabel('Format').selectOption('NDJSON');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('Completed').waitFor();
    const { token } = owner;
    const { body } = await sluice.request('GET', `/applications/${domain}/exports`, { token });
    const [job] = body.data;
    expect([job.format, job.file.rows]).toEqual(['ndjson', 5]);
    const { text } = await sluice.request('GET', `/applications/${domain}/exports/${job.id}/file`, { token });
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).payload),
    ).toEqual([1, 3, 5, 7, 9].map(entry));
    await page.goBack();
    await counted(page, '5 entries');
  });

  it('deletes what it selects, after it told how many that are', async () => {
    const { path, upload } = await start(30);
    const page = await openAs(sluice, owner, path);
    await counted(page, '30 entries');
    await addFilter(page, 'celsius', '<', '20');
    await counted(page, '20 entries');
    await page.getByRole('button', { name: 'Delete these' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete these' });
    await dialog.getByText('20 entries will be deleted for good.').waitFor();
    await dialog.getByText('Filters: celsius < 20.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'entries-delete-desktop-light');
    // It came after the count, so it stays.
    await upload({ place: 'Late', celsius: 1 });
    await dialog.getByRole('button', { name: 'Delete 20 entries' }).click();
    await page.getByText('20 entries deleted').waitFor();
    await counted(page, '1 entry');
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await counted(page, '11 entries');
  });
});
