import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { addFilter, cellsOf, counted, entry, headsOf, queryOf, startEntries } from './support/entries.ts';
import { desktop, phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

const start = (count: number) => startEntries(sluice, owner.token, count);

describe('the entries of an application', () => {
  it('are listed page by page, newest or oldest first, and Back leads to the page before', async () => {
    const { path } = await start(120);
    const page = await openAs(sluice, owner, path);
    await counted(page, '120 entries');
    expect((await cellsOf(page, 3)).slice(0, 3)).toEqual(['119', '118', '117']);
    await page.getByText('120 entries, 0 refused, one bar = 1 min').waitFor();
    await expectAccessible(page);

    const turn = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const shows = (n: number) => page.getByRole('cell', { name: `${n}`, exact: true }).waitFor();
    await turn('Older');
    await shows(69);
    await turn('Older');
    await shows(19);
    expect(await page.getByRole('button', { name: 'Older', exact: true }).isDisabled()).toBe(true);
    await page.reload();
    await shows(19);
    await page.goBack();
    await shows(69);
    await turn('Newer');
    await shows(119);
    expect(queryOf(page).has('after')).toBe(false);

    await page.getByRole('button', { name: 'Created' }).click();
    await shows(0);
    expect((await cellsOf(page, 3)).slice(0, 3)).toEqual(['0', '1', '2']);
    await turn('Newer');
    await shows(50);
    expect(queryOf(page).get('order')).toBe('oldest');
    await page.getByText('51–100 of 120').waitFor();
    await page.getByText('Live is off: the newest do not come first').waitFor();
  });

  it('begin above the fold of a desktop and a phone, and nothing moves while they load', async () => {
    const { path } = await start(60);
    const page = await openAs(sluice, owner, path);
    await page.addInitScript(`
      shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      await page.reload();
      await counted(page, '60 entries');
      await page.getByText('one bar').waitFor();
      const row = await page.locator('tbody tr').nth(3).boundingBox();
      expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThan(viewport.height);
      expect(await page.evaluate('shifts')).toBeLessThan(0.02);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('are listed, fewer at a time, where they are very large', async () => {
    const { path, upload } = await start(1);
    for (let n = 1; n <= 20; n++) await upload({ ...entry(n), note: 'x'.repeat(900_000) });
    const page = await openAs(sluice, owner, path);
    await counted(page, '21 entries');
    const first = await cellsOf(page, 3);
    await page.getByRole('button', { name: 'Older', exact: true }).click();
    await page.getByRole('cell', { name: '0', exact: true }).waitFor();
    expect([...first, ...(await cellsOf(page, 3))]).toEqual(
      Array.from({ length: 21 }, (_, n) => `${20 - n}`),
    );
  });

  it('have columns of choice, also of fields that are not in the schema', async () => {
    const { path, upload } = await start(2);
    await upload({ ...entry(2), device: { id: 'd-1' }, far: null });
    const page = await openAs(sluice, owner, path);
    await counted(page, '3 entries');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'place' }).uncheck();
    await page.getByRole('checkbox', { name: 'device.id' }).check();
    await page.getByLabel('Another field').fill('far');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expectAccessible(page);
    const heads = ['Created ↓', 'celsius', 'note', 'sky', 'tags', 'device.id', 'far'];
    expect(await headsOf(page)).toEqual(heads);
    await page.reload();
    await counted(page, '3 entries');
    expect(await headsOf(page)).toEqual(heads);
    expect([await cellsOf(page, 6), await cellsOf(page, 7)]).toEqual([
      ['d-1', '', ''],
      ['null', '', ''],
    ]);
  });

  it('open in a panel on a phone, which Back closes', async () => {
    const { domain, path } = await start(2);
    const { token } = owner;
    const json = { name: 'Till 7' };
    const issued = await sluice.request('POST', `/applications/${domain}/keys`, { token, json });
    const headers = { 'x-api-key': issued.body.data.key };
    await sluice.request('POST', `/applications/${domain}/data`, { json: entry(2), headers });
    const page = await openAs(sluice, owner, path, { viewport: phone, colorScheme: 'dark' });
    await counted(page, '3 entries');
    await page.getByRole('cell', { name: 'Rome' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Entry' });
    await panel.getByText('celsius: 2').waitFor();
    await panel.getByText('Single upload · key Till 7').waitFor();
    await expectAccessible(page);
    await page.reload();
    await panel.getByText('celsius: 2').waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Oslo' }).click();
    await panel.getByText('celsius: 1').waitFor();
    await panel.getByText('Batch', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await panel.getByText('celsius: 0').waitFor();
  });

  it('come by themselves while the page is live, and else behind a button', async () => {
    const { path, upload } = await start(1);
    const page = await openAs(sluice, owner, path);
    await counted(page, '1 entry');
    for (const n of [1, 2]) await upload(entry(n));
    await page.getByRole('button', { name: '2 new entries' }).waitFor();
    expect(await cellsOf(page, 3)).toEqual(['0']);
    await page.getByRole('button', { name: '2 new entries' }).click();
    await until(async () => (await cellsOf(page, 3)).join() === '2,1,0');

    await page.getByRole('switch', { name: 'Live' }).click();
    for (const n of [3, 4]) {
      await upload(entry(n));
      await page.getByRole('cell', { name: `${n}`, exact: true }).waitFor();
    }
    expect(await cellsOf(page, 3)).toEqual(['4', '3', '2', '1', '0']);
    await counted(page, '5 entries');
    expect(await page.getByRole('button', { name: /new entr/ }).count()).toBe(0);
    await page.reload();
    await counted(page, '5 entries');
    expect(await page.getByRole('switch', { name: 'Live' }).isChecked()).toBe(true);
    await addFilter(page, 'place', '=', 'Oslo');
    await counted(page, '2 entries');
    for (const n of [5, 6]) await upload(entry(n));
    await page.getByRole('cell', { name: '5', exact: true }).waitFor();
    expect(await cellsOf(page, 3)).toEqual(['5', '3', '1']);
  });

  it('are handled by the keyboard alone', async () => {
    const { path } = await start(3);
    const page = await openAs(sluice, owner, path);
    await counted(page, '3 entries');
    await page.getByRole('button', { name: 'Filter' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Value').waitFor();
    await until(() => page.getByLabel('Value').evaluate((input) => input.matches(':focus')));
    await page.keyboard.type('Rome');
    await page.keyboard.press('Enter');
    await counted(page, '2 entries');
    await page.getByRole('button', { name: 'tags' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Entry' }).getByText('celsius: 0').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(() =>
      page
        .locator('tbody tr')
        .nth(1)
        .getByRole('button')
        .evaluate((row) => row.matches(':focus')),
    );
    await page.getByRole('button', { name: 'Remove the filter place = Rome' }).press('Enter');
    await counted(page, '3 entries');
  });

  it('need at most 350 KB of compressed scripts', async () => {
    const { path } = await start(1);
    const page = await openAs(sluice, owner, path);
    await counted(page, '1 entry');
    const loaded = await page.evaluate(
      () => performance.getEntriesByType('resource').map(({ name }) => name) as string[],
    );
    const scripts = [...new Set(loaded.filter((name) => name.endsWith('.js')))];
    const bytes = await Promise.all(
      scripts.map(async (url) => gzipSync(await (await fetch(url)).bytes()).length),
    );
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(350_000);
  });
});
