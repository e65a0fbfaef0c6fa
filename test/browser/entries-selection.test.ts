import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { addFilter, cellsOf, counted, entry, queryOf, startEntries } from './support/entries.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

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
    await addFilter(page, 'celsius', '≥', 'warm');
    await page.getByText('Enter a number').waitFor();
    await page.getByLabel('Value').fill('20');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await counted(page, '5 entries');
    expect(await cellsOf(page, 3)).toEqual(['29', '27', '25', '23', '21']);
    await expectAccessible(page);

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

  it('has comparisons for each kind of field, and none of values with arrays', async () => {
    const { path, upload } = await start(2);
    await upload({ place: 'New Oslo', celsius: 50, sky: 'clear', tags: ['x'], extra: 7 });
    const page = await openAs(sluice, owner, path);
    for (const [field, operator, value, found] of [
      ['place', 'contains', 'oSL', '2 entries'],
      // A list of choices is filled by choosing.
      ['sky', '=', undefined, '1 entry'],
      ['tags', 'is there', undefined, '1 entry'],
      ['note', 'is missing', undefined, '3 entries'],
      ['extra', '>', '6', '1 entry'],
    ] as const) {
      await counted(page, '3 entries');
      await addFilter(page, field, operator, value);
      await page.getByRole('button', { name: /^Remove the filter/ }).waitFor();
      await counted(page, found);
      await page.getByRole('button', { name: /^Remove the filter/ }).click();
    }
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

  it('exports those of yesterday at one place in five clicks', async () => {
    const { path } = await start(4);
    const page = await openAs(sluice, owner, path);
    await counted(page, '4 entries');
    await page.evaluate(
      "clicks = 0; addEventListener('click', (event) => { clicks += event.isTrusted; }, true)",
    );
    await page.getByRole('button', { name: 'Yesterday' }).click();
    await page.getByText('Yesterday: 0 entries, 0 refused, one bar = 15 min').waitFor();
    await page.getByText('Live is off: the period has an end').waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Value').fill('Oslo');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Export these' }).click();
    await page.getByText('Period: Yesterday. Filters: place = Oslo.').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('Completed').waitFor();
    expect(await page.evaluate('clicks')).toBeLessThanOrEqual(5);
  });

  it('says which filter of the address it cannot read, and exports and deletes nothing meanwhile', async () => {
    const { path } = await start(4);
    const page = await openAs(sluice, owner, `${path}?filter=place%3DOslo&filter=eq%3A%2Fplace%3AOslo`);
    await counted(page, '2 entries');
    const said = page.getByRole('alert').getByText('filter=place=Oslo');
    await said.waitFor();
    const exports = page.getByRole('link', { name: 'Export these' });
    expect(await exports.count()).toBe(0);
    await expectAccessible(page);
    await page.goto(`${path.replace('entries', 'jobs')}?new=export&filter=place%3DOslo`);
    await said.waitFor();
    expect(await page.getByRole('button', { name: 'Export', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Select other entries' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await said.waitFor({ state: 'detached' });
    await counted(page, '4 entries');
    await exports.waitFor();
  });

  it('folds its filters and actions on a phone', async () => {
    const { path } = await start(4);
    const page = await openAs(sluice, owner, path, { viewport: phone, colorScheme: 'dark' });
    await counted(page, '4 entries');
    await addFilter(page, 'place', '=', 'Oslo');
    await counted(page, '2 entries');
    await page.getByRole('button', { name: 'Filter (1)' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove the filter place = Oslo' }).click();
    await counted(page, '4 entries');
    await page.getByRole('link', { name: 'Export these' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
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
    const { path, upload } = await start(70);
    const page = await openAs(sluice, owner, path);
    await counted(page, '70 entries');
    await addFilter(page, 'celsius', '<', '60');
    await counted(page, '60 entries');
    await page.getByRole('checkbox', { name: 'Mark the entries of this page' }).click();
    await page.getByText('50 marked').waitFor();
    await page.getByRole('button', { name: 'Mark all 60' }).click();
    await page.getByRole('button', { name: 'Delete these 60' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete these' });
    await dialog.getByText('60 entries will be deleted for good.').waitFor();
    await dialog.getByText('Filters: celsius < 60.').waitFor();
    await expectAccessible(page);
    // It came after the count, so it stays.
    await upload({ place: 'Late', celsius: 1 });
    await dialog.getByRole('button', { name: 'Delete 60 entries' }).click();
    await page.getByText('60 entries deleted').waitFor();
    await counted(page, '1 entry');
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await counted(page, '11 entries');
  });

  it('asks for the count before it deletes more than a hundred', async () => {
    const { path } = await start(1_234);
    const page = await openAs(sluice, owner, path, { viewport: phone, colorScheme: 'dark' });
    await counted(page, '1,234 entries');
    await page.getByRole('checkbox', { name: 'Mark the entries of this page' }).click();
    await page.getByRole('button', { name: 'Mark all 1,234' }).click();
    await page.getByRole('button', { name: 'Delete these 1,234' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete these' });
    const remove = dialog.getByRole('button', { name: 'Delete 1,234 entries' });
    const typed = dialog.getByLabel('Type 1,234 to confirm');
    await typed.fill('1,235');
    expect(await remove.isDisabled()).toBe(true);
    await expectAccessible(page);
    await typed.fill('1234');
    await remove.click();
    await page.getByText('1,234 entries deleted').waitFor();
    await counted(page, '0 entries');
  });
});
