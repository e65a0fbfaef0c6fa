import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    celsius: { type: 'number' },
    id: { type: 'integer' },
    note: { type: 'null' },
    by: { type: 'object', required: ['name', 'mail'] },
  },
};

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

/** An application that refused these uploads. */
async function applicationThatRefused(...payloads: string[]): Promise<string> {
  const domain = await sluice.application(owner.token, schema);
  for (const body of payloads) {
    const { status } = await sluice.request('POST', `/applications/${domain}/data`, { body });
    expect(status).toBe(422);
  }
  return domain;
}

const read = async (path: string) =>
  (await sluice.request('GET', `/applications/${path}`, { token: owner.token })).text;

const groupOf = (page: Page, text: string) =>
  page
    .getByRole('navigation', { name: 'Refused uploads by reason' })
    .getByRole('link')
    .filter({ hasText: text });

const panelOf = (page: Page) => page.getByRole('region', { name: 'Group of refused uploads' });

const mendOf = (page: Page, name: 'Change these uploads' | 'Loosen the schema') =>
  page.getByRole('article', { name });

describe('refused uploads', () => {
  it('that are nested thousands of levels deep are shown, cut off', async () => {
    const domain = await applicationThatRefused(
      `{"place":1,"b":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      '{"celsius":"warm"}',
    );
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await groupOf(page, 'nested deeper').click();
    await page.getByLabel('Example of a refused upload').waitFor();
    await page.getByRole('button', { name: 'Show uploads' }).click();
    const uploads = page.getByRole('dialog');
    expect(await uploads.getByRole('listitem').first().textContent()).toContain('"place": 1');
  });

  it('are shown with each of their digits, and with keys that came twice', async () => {
    const sent = '{"place":1.0,"id":9007199254740993,"id":-0,"9":2,"8":1e400}';
    const domain = await applicationThatRefused(sent);
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    const example = page.getByLabel('Example of a refused upload');
    await example.waitFor();
    expect((await example.textContent())?.replace(/\s/g, '')).toContain(sent);
    await page.getByRole('button', { name: 'Show uploads' }).click();
    const upload = page.getByRole('dialog').getByRole('listitem');
    await upload.waitFor();
    expect((await upload.textContent())?.replace(/\s/g, '')).toContain(sent);
  });

  it('that were not JSON are shown as what came, and counted in the chart, and cannot be replayed', async () => {
    const domain = await applicationThatRefused('{"place":1}');
    const path = `/applications/${domain}/data`;
    for (const body of ['{"place":', '"x'])
      expect((await sluice.request('POST', path, { body })).status).toBe(400);
    const headers = { 'content-type': 'text/csv' };
    expect((await sluice.request('POST', path, { body: 'a', headers })).status).toBe(415);
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await groupOf(page, 'Not JSON').filter({ hasText: '2 kept' }).click();
    await panelOf(page).getByText('2 lost, 2 kept').waitFor();
    await page.getByLabel('Example of a refused upload').waitFor();
    await page.getByText('Such uploads cannot be replayed').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    await page.getByRole('button', { name: 'Show uploads' }).click();
    expect(await page.getByRole('dialog').getByRole('listitem').first().textContent()).toContain('"x');
    await page.goto(`${sluice.url}/applications/${domain}`);
    await page.getByText('0 entries, 1 refused, 3 lost (2 not JSON, 1 of a wrong media type)').waitFor();
    await expectAccessible(page);
  });

  it('are shown by reason, changed, tried and replayed', async () => {
    const domain = await applicationThatRefused(
      '{"place":"Oslo","celsius":"-3.5","id":9223372036854775807}',
      '{"place":"Rome","celsius":"warm"}',
    );
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await panelOf(page).getByText('2 refused, 2 waiting to be fixed').waitFor();
    await page.getByRole('img', { name: '2 refused in the last 24 hours, by hour' }).waitFor();
    const example = page.getByLabel('Example of a refused upload');
    await example.waitFor();
    expect(await page.locator('.cm-marked').allTextContents()).toEqual(['  "celsius": "warm"']);
    await page.getByRole('button', { name: 'Allow text as well as numbers' }).waitFor();
    await page.getByText('Edit the change').click();
    expect(await page.getByLabel('Change', { exact: true }).inputValue()).toBe('number');
    expect(await mendOf(page, 'Loosen the schema').textContent()).toContain('becomes text in exports');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Show uploads' }).click();
    const uploads = page.getByRole('dialog');
    await uploads.getByRole('listitem').first().waitFor();
    expect(await uploads.getByRole('listitem').count()).toBe(2);
    expect(await uploads.getByRole('listitem').last().textContent()).toContain('9223372036854775807');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await uploads.waitFor({ state: 'detached' });

    await page.getByLabel('JSON Patch').fill('[{"op":"replace","path":"/celsius"}]');
    await page.getByText('is required').waitFor();
    await page.getByLabel('JSON Patch').fill('[{"op":"add","path":"/source","value":"roof"}]');
    const tried = page.getByRole('region', { name: 'What the replay would do' });
    await mendOf(page, 'Change these uploads').getByText('Stores 1 of 2').waitFor();
    await tried.getByText('/celsius must be number').waitFor();
    expect(await read(`${domain}/data`)).toContain('"total":0');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Change and replay 2 uploads' }).click();
    await page.getByLabel('This replay').getByText('1 stored: see it · 1 still refused').waitFor();
    await groupOf(page, 'celsius').filter({ hasText: '1 waiting' }).waitFor();
    expect(await read(`${domain}/data`)).toContain(
      '"payload":{"place":"Oslo","celsius":-3.5,"id":9223372036854775807,"source":"roof"}',
    );
  });

  it('are replayed as they are once the schema takes them', async () => {
    const domain = await applicationThatRefused('{"celsius":"-3.5"}');
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`, {
      viewport: phone,
      colorScheme: 'dark',
    });
    await groupOf(page, 'celsius').click();
    await page.getByText('Stores 1 of 1').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Another change of the schema' }).click();
    expect(await page.getByLabel('Validate').inputValue()).toBe('refused');
    await sluice.request('POST', `/applications/${domain}/schemas`, {
      token: owner.token,
      json: { schema: { type: 'object' } },
    });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('link', { name: 'Refused' }).click();
    await page.getByRole('button', { name: 'Replay all' }).click();
    await page.getByText('1 stored: see it · 0 still refused').waitFor();
    await until(async () => (await read(`${domain}/data`)).includes('"total":1'));
  });

  it('are let in by the likely change of the schema, in five clicks', async () => {
    const domain = await applicationThatRefused('{"note":"x"}', '{"note":"y"}', '{"place":1}');
    const page = await openAs(sluice, owner, `/applications/${domain}/entries`);
    await page.getByTitle('3 uploads wait to be fixed').waitFor();
    await page.getByRole('link', { name: 'Refused' }).click();
    await mendOf(page, 'Loosen the schema').getByText('Stores 2 of 2').waitFor();
    await page.getByRole('button', { name: 'Allow text as well as null' }).click();
    await page.getByRole('button', { name: 'Publish and replay' }).click();
    await page.getByLabel('This replay').getByText('2 stored: see them · 0 still refused').waitFor();
    await groupOf(page, 'note').filter({ hasText: '0 waiting' }).waitFor();
    await page.getByTitle('1 upload waits to be fixed').waitFor();
    await groupOf(page, 'place').click();
    await page.getByText('Resolved (1)').waitFor();
    expect(await read(`${domain}`)).toContain('"version":2');
  });

  it('that lack one member are mended together, and none that lacks another', async () => {
    const lacksName = '{"by":{"mail":1}}';
    const lacksMail = '{"by":{"name":1}}';
    const domain = await applicationThatRefused(lacksName, lacksName, lacksMail, lacksMail, lacksMail);
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await groupOf(page, 'by/mail').filter({ hasText: '3 waiting' }).waitFor();
    await groupOf(page, 'by/name').filter({ hasText: '2 waiting' }).click();
    await page.getByRole('button', { name: 'Make name optional' }).click();
    await page.getByRole('button', { name: 'Publish and replay' }).click();
    await page.getByLabel('This replay').getByText('2 stored: see them · 0 still refused').waitFor();
    await groupOf(page, 'by/name').filter({ hasText: '0 waiting' }).waitFor();
    await groupOf(page, 'by/mail').filter({ hasText: '3 waiting' }).click();
    await page.getByText('Resolved (1)').waitFor();
  });

  it('are said to be few where nearly all uploads conform, and are looked at first', async () => {
    const few = {
      ...schema,
      required: ['place'],
      properties: { ...schema.properties, wet: { maximum: 100 } },
    };
    const domain = await sluice.application(owner.token, few);
    const path = `/applications/${domain}`;
    const json = Array.from({ length: 38 }, () => ({ place: 'Oslo' }));
    await sluice.request('POST', `${path}/data/batch`, { json });
    for (const body of ['{}', '{"id":1}', '{"place":"Rome","wet":140}'])
      await sluice.request('POST', `${path}/data`, { body });
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const page = await openAs(sluice, owner, `${path}/refused`, view);
    const isPrimary = (name: string) =>
      page.getByRole('button', { name }).and(page.locator('[data-variant=filled]')).count();
    const titles = () => page.getByRole('article').getByRole('heading', { level: 3 }).allTextContents();
    await groupOf(page, 'place').getByText('95% fine').waitFor();
    await groupOf(page, 'place').click();
    await page.getByText(/^Of 40 uploads since .*, 2 lack place\.$/).waitFor();
    await page.getByText('Most uploads conform').waitFor();
    expect(await titles()).toEqual(['Change these uploads', 'Loosen the schema']);
    expect([await isPrimary('Change and replay'), await isPrimary('Make place optional')]).toEqual([1, 0]);
    const value = page.getByLabel('Value (JSON or text)');
    expect(await page.getByRole('button', { name: 'Change and replay 2 uploads' }).isDisabled()).toBe(true);
    await value.first().fill('Oslo');
    await mendOf(page, 'Change these uploads').getByText('Stores 2 of 2').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All groups' }).click();
    await groupOf(page, 'wet').click();
    await page.getByText(/^Of 39 uploads since .*, 1 breaks this rule\.$/).waitFor();
    expect(await isPrimary('Set maximum to 140')).toBe(0);
    await page.getByLabel('Divide by').first().selectOption('10');
    await mendOf(page, 'Change these uploads').getByText('Stores 1 of 1').waitFor();

    const wrong = { type: 'object', properties: { note: { type: 'null' } } };
    const other = await sluice.application(owner.token, wrong);
    for (const body of ['{"note":"x"}', '{"note":"y"}', '{}'])
      await sluice.request('POST', `/applications/${other}/data`, { body });
    await page.goto(`/applications/${other}/refused`);
    await groupOf(page, 'note').click();
    await page.getByText(/^Of 3 uploads since/).waitFor();
    expect(await titles()).toEqual(['Loosen the schema', 'Change these uploads']);
    // A wider schema is never the only primary button.
    expect([await isPrimary('Change and replay'), await isPrimary('Allow text as well')]).toEqual([1, 1]);
    expect(await page.getByText('Most uploads conform').count()).toBe(0);
    await expectAccessible(page);
  });

  it('are mended and replayed in two clicks from the entries, and the stored ones are seen by a third', async () => {
    const domain = await applicationThatRefused(
      '{"celsius":"25,00 kr"}',
      '{"celsius":"1.234,50 kr"}',
      '{"celsius":"free"}',
    );
    const page = await openAs(sluice, owner, `/applications/${domain}/entries`);
    await page.getByRole('link', { name: 'Refused' }).click();
    const mend = mendOf(page, 'Change these uploads');
    await mend.getByText('Stores 2 of 3').waitFor();
    await mend.getByText('"1.234,50 kr" → 1234.50').waitFor();
    await mendOf(page, 'Loosen the schema').getByText('Stores 3 of 3').waitFor();
    await mend.getByRole('button', { name: 'Change and replay 3 uploads' }).click();
    await page.getByLabel('This replay').getByRole('link', { name: '2 stored: see them' }).click();
    await page.getByRole('cell', { name: /^1234\.5/ }).waitFor();
    await page.getByRole('cell', { name: /^25/ }).waitFor();
  });

  it('with dates in an order that only people know are changed once they choose it', async () => {
    const dated = { type: 'object', properties: { day: { type: 'string', format: 'date' } } };
    const domain = await sluice.application(owner.token, dated);
    for (const body of ['{"day":"03/04/2026"}', '{"day":"05/04/2026"}'])
      await sluice.request('POST', `/applications/${domain}/data`, { body });
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    const mend = mendOf(page, 'Change these uploads');
    await mend.getByText('Choose what only you can know').waitFor();
    expect(await mend.getByRole('button', { name: 'Change and replay' }).isDisabled()).toBe(true);
    await mend.getByLabel('Order of the date').first().selectOption('mdy');
    await mend.getByText('"03/04/2026" → "2026-03-04"').waitFor();
    await mend.getByRole('button', { name: 'Change and replay 2 uploads' }).click();
    await page.getByText('2 stored: see them').first().waitFor();
    expect(await read(`${domain}/data`)).toContain('"2026-05-04"');
  });

  it('are gone through with the keyboard, and the address has the open group', async () => {
    const domain = await applicationThatRefused('{"note":"x"}', '{"note":"y"}', '{"place":1}');
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await page.getByRole('heading', { name: '/note must be null' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: '/place must be string' }).waitFor();
    expect(new URL(page.url()).searchParams.get('path')).toBe('/place');
    await page.reload();
    await page.getByRole('heading', { name: '/place must be string' }).waitFor();
    await groupOf(page, 'place').focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('heading', { name: '/note must be null' }).waitFor();
    expect(await groupOf(page, 'note').and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: '/note must be null' }).waitFor();
  });

  it('stay dismissed in another browser, until more of them come', async () => {
    const domain = await applicationThatRefused('{"celsius":"warm"}', '{"place":1}');
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`, view);
    await groupOf(page, 'celsius').click();
    await panelOf(page).getByRole('heading', { name: '/celsius' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText('Dismissed (1)').waitFor();
    const other = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await other.getByTitle('1 upload waits to be fixed').waitFor();
    await other.getByText('Dismissed (1)').click();
    await groupOf(other, 'celsius').waitFor();
    await sluice.request('POST', `/applications/${domain}/data`, { body: '{"celsius":"hot"}' });
    await other.getByTitle('3 uploads wait to be fixed').waitFor();
    await other.getByText('Dismissed (1)').waitFor({ state: 'detached' });
  });

  it('are deleted by reason', async () => {
    const domain = await applicationThatRefused('{"celsius":"-3.5"}', '{"place":1}');
    const page = await openAs(sluice, owner, `/applications/${domain}/refused`);
    await groupOf(page, 'place').click();
    await panelOf(page).getByRole('heading', { name: '/place' }).waitFor();
    await page.getByRole('button', { name: 'Remove the refused uploads of this group' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('1 refused upload was deleted').waitFor();
    await panelOf(page).getByText('0 waiting to be fixed').waitFor();
    await page.getByText('None of these uploads is kept any more.').waitFor();
    expect(await read(`${domain}/refused`)).toContain('"total":1');
  });
});
