import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { phone, screenshot } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: Sluice;
let owner: { username: string; token: string };
let domain: string;

beforeAll(async () => {
  sluice = await startSluice();
  owner = await sluice.owner();
  domain = await sluice.application(owner.token, {
    type: 'object',
    properties: { place: { type: 'string' }, celsius: { type: 'number' } },
    required: ['celsius'],
  });
});
afterAll(() => sluice.stop());

const csv = 'place,celsius\nOslo,-3.5\nRome,warm\nOslo,-3.5\n';

describe('an import', () => {
  it.each([
    ['desktop-light', {}],
    ['phone-dark', { viewport: phone, colorScheme: 'dark' }],
  ] as const)(
    'shows the file before it is sent, and its refused lines afterwards: %s',
    async (name, view) => {
      const page = await openAs(sluice, owner, `/applications/${domain}/imports`, view);
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'File' }).click(),
      ]);
      await chooser.setFiles({ name: 'weather.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
      const preview = page.getByRole('region', { name: 'First rows of the file' });
      await preview.getByRole('columnheader', { name: 'celsius string' }).waitFor();
      expect(await page.getByLabel('Format').inputValue()).toBe('csv');
      await page.getByRole('button', { name: 'Import', exact: true }).click();

      const item = page.getByRole('listitem').filter({ hasText: '2 stored · 1 refused' }).first();
      await item.getByRole('button', { name: 'Show refused lines' }).click();
      await item.getByRole('cell', { name: '/celsius must be number' }).waitFor();
      await expectAccessible(page);
      await screenshot(page, `imports-${name}`);

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        item.getByRole('button', { name: 'Download report' }).click(),
      ]);
      const report = await text(await download.createReadStream());
      expect(JSON.parse(report)).toMatchObject({ line: 3, payload: { place: 'Rome', celsius: 'warm' } });
    },
  );

  it('says why a file was refused as a whole', async () => {
    const page = await openAs(sluice, owner, `/applications/${domain}/imports`);
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
  });
});
