import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startQuestions } from '../support/questions.ts';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { cellsOf, counted, headsOf, queryOf, startEntries } from './support/entries.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

const start = (count: number) => startEntries(sluice, owner.token, count);

describe('the entries of the table', () => {
  it('are read one after the other beside the table, which stays at hand', async () => {
    const { path } = await start(3);
    const page = await openAs(sluice, owner, path);
    await counted(page, '3 entries');
    await page.getByRole('cell', { name: 'Oslo' }).click();
    const panel = page.getByRole('dialog', { name: 'Entry' });
    await panel.getByText('celsius: 1').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('j');
    await panel.getByText('celsius: 0').waitFor();
    expect(await page.locator('tr[aria-current=true] td:nth-child(3)').textContent()).toBe('0');
    await page.getByRole('cell', { name: '2', exact: true }).click();
    await panel.getByText('celsius: 2').waitFor();
    const id = queryOf(page).get('entry') as string;
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill(id);
    await page.keyboard.press('Enter');
    await panel.getByText('celsius: 2').waitFor();
  });

  it('are marked, and then exported or deleted alone', async () => {
    const { path } = await start(4);
    const page = await openAs(sluice, owner, path);
    await counted(page, '4 entries');
    await page
      .getByRole('cell', { name: '3', exact: true })
      .locator('xpath=..')
      .getByRole('checkbox')
      .click();
    await page.getByRole('button', { name: 'Created' }).focus();
    await page.locator('tbody button').first().press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByText('2 marked').waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export these 2' }).click();
    const csv = await text(await (await download).createReadStream());
    const lines = csv.split('\r\n').map((line) => line.split(',').slice(2));
    expect(lines).toEqual([
      ['place', 'celsius', 'note', 'sky', 'tags'],
      ['Oslo', '3', '', '', ''],
      ['Oslo', '1', '', '', ''],
      [],
    ]);
    await page.getByRole('button', { name: 'Delete these 2' }).click();
    await page
      .getByRole('dialog', { name: 'Delete these 2' })
      .getByRole('button', { name: 'Delete these 2' })
      .click();
    await page.getByText('2 entries deleted').waitFor();
    await counted(page, '2 entries');
    expect(await cellsOf(page, 3)).toEqual(['2', '0']);
  });

  it('are sorted by a column, and their bars made of its values', async () => {
    const { path, upload } = await start(120);
    await upload({ place: 'Bergen', note: 'warm' });
    const page = await openAs(sluice, owner, path);
    await counted(page, '121 entries');
    const worker = await startQuestions(sluice.env);
    onTestFinished(() => worker.stop());
    const head = page.getByRole('columnheader', { name: 'celsius' });
    const shows = (n: number) => page.getByRole('cell', { name: `${n}`, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Older', exact: true }).click();
    await shows(21);
    await head.getByRole('button').click();
    await shows(119);
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–100 of 121').waitFor();
    await shows(69);
    await page.reload();
    await page.getByText('51–100 of 121').waitFor();
    expect((await cellsOf(page, 3))[0]).toBe('69');
    await page.getByRole('button', { name: 'Previous' }).click();
    await shows(119);
    await head.getByRole('button').click();
    await shows(0);
    expect((await cellsOf(page, 3)).slice(0, 3)).toEqual(['0', '1', '2']);
    await page.getByLabel('What the bars are made of').selectOption('By place');
    const bergen = page.getByRole('button', { name: 'Bergen 1' });
    await bergen.waitFor();
    await expectAccessible(page);
    await bergen.click();
    await counted(page, '1 entry');
    expect(queryOf(page).get('sort')).toBe('/celsius');
    await head.getByRole('button').click();
    await until(async () => queryOf(page).get('sort') === null);
  });

  it('have columns as wide as they are dragged, in the order in which they are dropped', async () => {
    const { path } = await start(2);
    const page = await openAs(sluice, owner, path);
    await counted(page, '2 entries');
    await page
      .getByRole('columnheader', { name: 'sky' })
      .dragTo(page.getByRole('columnheader', { name: 'place' }));
    await until(async () => (await headsOf(page)).join().startsWith('Created ↓,sky,place'));
    const head = page.getByRole('columnheader', { name: 'place' });
    const box = async () =>
      (await head.boundingBox()) as NonNullable<Awaited<ReturnType<typeof head.boundingBox>>>;
    const { x, y, width } = await box();
    await page.mouse.move(x + width - 2, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width + 98, y + 5);
    await page.mouse.up();
    expect((await box()).width).toBeCloseTo(width + 100, 0);
    await page.reload();
    await counted(page, '2 entries');
    expect((await box()).width).toBeCloseTo(width + 100, 0);
  });
});
