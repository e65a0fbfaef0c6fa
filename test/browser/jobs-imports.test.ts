import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' } },
  required: ['celsius'],
};
const csv = 'place,celsius\nOslo,-3.5\nRome,warm\nOslo,-3.5\n';

describe('an import', () => {
  it('shows the file before it is sent, and its refused lines afterwards', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=import`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    await chooser.setFiles({ name: 'weather.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    const preview = page.getByRole('group', { name: 'First rows of the file' });
    await page.getByText('First 3 rows: 2 will be stored, 1 refused.').waitFor();
    await preview.getByRole('row', { name: /^3 \/celsius .* Rome warm$/ }).waitFor();
    await preview.getByRole('row', { name: '4 Will be stored Oslo -3.5' }).waitFor();
    expect(await page.getByLabel('Format').inputValue()).toBe('csv');
    await page.getByRole('button', { name: 'Import', exact: true }).click();

    const item = page.getByRole('listitem').filter({ hasText: '2 stored · 1 refused' });
    await item.getByText('Import weather.csv').waitFor();
    await item.getByText(/ · took .* per second · removed in 7 days$/).waitFor();
    await item.getByRole('button', { name: 'Show refused lines' }).click();
    await item.getByRole('cell', { name: '/celsius must be number' }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      item.getByRole('button', { name: 'Download report', exact: true }).click(),
    ]);
    const report = await text(await download.createReadStream());
    expect(JSON.parse(report)).toMatchObject({ line: 3, payload: { place: 'Rome', celsius: 'warm' } });
  });

  it('of a file with other names stores its columns as the fields that are chosen', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=import`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    const buffer = Buffer.from('Ort,Celsius,x,note\nOslo,-3.5,1,=cold\nRome,warm,2,=hot\n');
    await chooser.setFiles({ name: 'weather.csv', mimeType: 'text/csv', buffer });
    await page
      .getByText('3 columns are not in the schema: Ort, x, note. They are stored as they are.')
      .waitFor();
    const columns = page.getByRole('group', { name: 'Columns are stored as' });
    expect(await columns.getByLabel('Celsius').inputValue()).toBe('/celsius');
    await columns.getByLabel('Ort').selectOption({ label: 'place' });
    await columns.getByLabel('x').selectOption({ label: '(leave out)' });
    await page.getByText('1 column is not in the schema: note. It is stored as it is.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const item = page.getByRole('listitem').filter({ hasText: '1 stored · 1 refused' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      item.getByRole('button', { name: 'Download report as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    expect(await text(await download.createReadStream())).toContain(
      ',/celsius,"{""place"":""Rome"",""celsius"":""warm"",""note"":""=hot""}"',
    );
  });

  it('with semicolons shows in advance which rows will be refused', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=import`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    const buffer = Buffer.from('place;celsius\n"Oslo; N";-3.5\nRome\nBari;1e400\nLima;9007199254740993\n');
    await chooser.setFiles({ name: 'weather.csv', mimeType: 'text/csv', buffer });
    const preview = page.getByRole('group', { name: 'First rows of the file' });
    await preview.getByRole('cell', { name: 'Oslo; N' }).waitFor();
    await preview.getByRole('row', { name: '5 Will be stored Lima 9007199254740993' }).waitFor();
    await preview.getByRole('row', { name: '3 the record has 1 cells, there are 2 columns' }).waitFor();
    await preview.getByRole('row', { name: /^4 \/celsius/ }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const item = page.getByRole('listitem').filter({ hasText: '2 stored · 2 refused' });
    await item.getByRole('button', { name: 'Show refused lines' }).click();
    for (const name of ['3', '4']) await item.getByRole('cell', { name, exact: true }).waitFor();
  });

  it('shows refused lines that are nested thousands of levels deep', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=import`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    const buffer = Buffer.from(
      `{"celsius":1}\n{"id":9007199254740993,"place":"Bari","b":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`,
    );
    await chooser.setFiles({ name: 'a.ndjson', mimeType: 'application/x-ndjson', buffer });
    await page.getByText('First 2 rows: 1 will be stored, 1 refused.').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const item = page.getByRole('listitem').filter({ hasText: '1 stored · 1 refused' });
    await item.getByRole('button', { name: 'Show refused lines' }).click();
    await item.getByRole('cell', { name: /"id":9007199254740993,"place":"Bari"/ }).waitFor();
  });

  it('says why a file was refused as a whole, until another is chosen', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=import`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'File' }).click(),
    ]);
    await chooser.setFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('alert').getByText(/array/).waitFor();
    await page
      .getByRole('alert')
      .getByText(/Request id: /)
      .waitFor();
    await page.getByRole('button', { name: 'Take another file' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});
