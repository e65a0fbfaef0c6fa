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
  properties: {
    place: { type: 'string' },
    ok: { type: 'boolean' },
    celsius: { type: 'number', maximum: 60 },
    sky: { enum: ['clear', 'cloudy'] },
    by: { type: 'object', properties: { mail: { type: 'string', format: 'email' } } },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['place', 'ok'],
};

const entriesOf = async (domain: string) =>
  (await sluice.request('GET', `/applications/${domain}/data`, { token: owner.token })).body.data.result;

describe('the page to send data', () => {
  it('sends a test entry made from the schema, and shows what comes of uploads', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/send`);
    await page.getByText('Waiting for the first entry').waitFor();
    // A busy machine may be late once.
    let fastest = Number.POSITIVE_INFINITY;
    for (const count of [1, 2, 3]) {
      const started = Date.now();
      await sluice.request('POST', `/applications/${domain}/data`, { json: { place: 'Rome', ok: 'yes' } });
      await page.getByText(`${count} refused: /ok must be boolean`, { exact: true }).waitFor();
      fastest = Math.min(fastest, Date.now() - started);
    }
    expect(fastest).toBeLessThan(2_000);
    await page.getByText('Waiting for the first entry').waitFor();

    await page.getByLabel('/place', { exact: true }).fill('Oslo');
    await page.getByLabel('/ok', { exact: true }).selectOption('false');
    await page.getByLabel('/celsius', { exact: true }).fill('-3.5');
    await page.getByLabel('/sky', { exact: true }).selectOption('"cloudy"');
    await page.getByLabel('/by/mail', { exact: true }).fill('');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The first entry is there').waitFor();
    const payload = { place: 'Oslo', ok: false, celsius: -3.5, sky: 'cloudy', by: {}, tags: ['text'] };
    expect(await entriesOf(domain)).toMatchObject([{ payload }]);

    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByLabel('Payload of the test entry').fill('{"place":"Lima","ok":true,"celsius":61}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('4 refused: /celsius must be <= 60').waitFor();
    await page.locator('form').getByText('/celsius must be <= 60').waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByLabel('/celsius', { exact: true }).inputValue()).toBe('61');
  });

  it('folds a form of many fields, of which required ones come first', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => [`n${n}`, { type: 'integer' }]),
    );
    const domain = await sluice.application(owner.token, { type: 'object', properties, required: ['n24'] });
    const page = await openAs(sluice, owner, `/applications/${domain}/send`);
    await page.getByLabel('/n24', { exact: true }).waitFor();
    const more = page.getByRole('button', { name: '5 more fields' });
    expect(await page.getByLabel('/n23', { exact: true }).count()).toBe(0);
    await more.click();
    await page.getByLabel('/n23', { exact: true }).waitFor();
    await more.waitFor({ state: 'detached' });
  });

  it('keeps the digits of a sample in the example, each program and the test entry', async () => {
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const page = await openAs(sluice, owner, '/applications/new', view);
    const payload = '{"id":9007199254740993,"celsius":1.50}';
    await page.getByLabel('A sample of your data').fill(payload);
    await page.getByRole('cell', { name: '9007199254740993' }).waitFor();
    await page.getByRole('cell', { name: '1.50' }).waitFor();
    await page.getByLabel('Name of the application').fill('Digits');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const programs = page.getByRole('region', { name: 'Program' });
    for (const name of ['curl', 'JavaScript', 'Python', 'Go']) {
      await page.getByRole('tab', { name, exact: true }).click();
      const code = await programs.locator('pre:visible').textContent();
      expect(code?.replaceAll('\\"', '"')).toContain(payload);
    }
    expect(await page.getByLabel('/id', { exact: true }).inputValue()).toBe('9007199254740993');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The first entry is there').waitFor();
    const [, domain = ''] = /applications\/([^/]+)/.exec(page.url()) ?? [];
    const { text } = await sluice.request('GET', `/applications/${domain}/data`, { token: owner.token });
    expect(text).toContain('"payload":{"id":9007199254740993,"celsius":1.5}');

    const listed = '{"type":"object","properties":{"id":{"enum":[9007199254740993,9007199254740995]}}}';
    const json = { schema: listed };
    await sluice.request('POST', `/applications/${domain}/schemas`, { token: owner.token, json });
    await page.goto(`/applications/${domain}/send`);
    await page.getByLabel('/id', { exact: true }).selectOption('9007199254740995');
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await page.getByLabel('Payload of the test entry').inputValue()).toContain('9007199254740995');
  });

  it('makes a key where one is needed, and never calls an old entry the first', async () => {
    const domain = await sluice.application(owner.token, schema);
    const json = { place: 'Oslo', ok: true };
    await sluice.request('POST', `/applications/${domain}/data`, { json });
    await sluice.request('PATCH', `/applications/${domain}`, {
      token: owner.token,
      json: { key_required: true },
    });
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const page = await openAs(sluice, owner, `/applications/${domain}/send`, view);
    await page.getByText('Waiting for an upload').waitFor();
    expect(await page.locator('pre:visible').last().textContent()).toContain('YOUR_KEY');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('The key is shown only now', { exact: false }).waitFor();
    const key = await page.getByLabel('Ingest key').inputValue();
    expect(await page.locator('pre:visible').last().textContent()).toContain(key);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('1 stored').waitFor();
    expect(await page.getByText('The first entry is there').count()).toBe(0);
    expect(await entriesOf(domain)).toHaveLength(2);
    await expectAccessible(page);
  });

  it('gives an uploader in each language, which sends to this server', async () => {
    const domain = await sluice.application(owner.token, schema);
    const page = await openAs(sluice, owner, `/applications/${domain}/send`);
    const section = page.getByRole('region', { name: 'Uploader' });
    for (const [name, file] of [
      ['TypeScript', 'uploader.ts'],
      ['Python', 'uploader.py'],
      ['Go', 'uploader.go'],
      ['Java', 'Uploader.java'],
      ['Rust', 'uploader.rs'],
    ] as const) {
      await page.getByRole('tab', { name, exact: true }).click();
      await section.getByText(sluice.url).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        section.getByRole('button', { name: `Download ${file}` }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(file);
      expect(await text(await download.createReadStream())).toContain(
        `application ${domain}, schema version 1`,
      );
    }
    await expectAccessible(page);
  });

  it('lists a downloaded uploader among the connectors, for those who may change them', async () => {
    const domain = await sluice.application(owner.token, schema);
    const path = `/applications/${domain}`;
    const { token } = owner;
    const connectors = async () => (await sluice.request('GET', path, { token })).body.data.connectors;
    const other = { package_url: 'https://www.npmjs.com/package/weather', language: 'TypeScript' };
    const page = await openAs(sluice, owner, `${path}/send`);
    const section = page.getByRole('region', { name: 'Uploader' });
    await page.getByRole('tab', { name: 'Python' }).click();
    await section.getByRole('button', { name: 'Download uploader.py' }).click();
    await section.getByRole('button', { name: 'Add to connectors' }).waitFor();
    await sluice.request('PATCH', path, { token, json: { connectors: [other] } });
    await section.getByRole('button', { name: 'Add to connectors' }).click();
    await section.getByRole('button', { name: 'Remove from connectors' }).waitFor();
    const added = {
      package_url: `${sluice.url}/api/applications/${domain}/clients/python`,
      language: 'Python',
    };
    expect(await connectors()).toEqual([other, added]);
    await expectAccessible(page);

    const reader = await sluice.owner();
    await sluice.request('PUT', `${path}/members/${reader.username}`, { token, json: { role: 'reader' } });
    const seen = await openAs(sluice, reader, `${path}/send`);
    await seen.getByRole('tab', { name: 'Python' }).click();
    await seen.getByRole('button', { name: 'Download uploader.py' }).waitFor();
    expect(await seen.getByRole('button', { name: /connectors/ }).count()).toBe(0);

    await section.getByRole('button', { name: 'Remove from connectors' }).click();
    await section.getByRole('button', { name: 'Add to connectors' }).waitFor();
    expect(await connectors()).toEqual([other]);
  });
});
