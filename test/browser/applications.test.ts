import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
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

describe('the list of applications', () => {
  it('says how much each has, and leads to what was refused', async () => {
    const empty = await sluice.application(owner.token);
    const schema = { type: 'object', properties: { celsius: { type: 'number' } } };
    const domain = await sluice.application(owner.token, schema);
    for (const celsius of [1, 2, 'warm'])
      await sluice.request('POST', `/applications/${domain}/data`, { json: { celsius } });
    const { token } = owner;
    await until(async () => {
      const { body } = await sluice.request('GET', `/applications/${domain}`, { token });
      return body.data.refused_24h === 1;
    });
    const page = await openAs(sluice, owner, '/applications');
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('cell');
    await rowOf(domain).first().waitFor();
    expect((await rowOf(domain).allTextContents()).slice(1)).toEqual([
      'Well',
      '2',
      '1',
      expect.stringMatching(/now|seconds? ago/),
      '2',
      domain,
    ]);
    expect((await rowOf(empty).allTextContents()).slice(1)).toEqual([
      'Well',
      '0',
      '0',
      'None yet',
      '0',
      empty,
    ]);
    await expectAccessible(page);
    await rowOf(domain).getByRole('link', { name: '1', exact: true }).click();
    await page.getByText('must be number').waitFor();
  });

  it('says what fails, and leads to the overview', async () => {
    const { token } = owner;
    const domain = await sluice.application(token);
    const path = `/applications/${domain}`;
    const json = { url: 'https://sluice.invalid/', events: ['export.failed'] };
    const { id } = (await sluice.request('POST', `${path}/webhooks`, { token, json })).body.data;
    await sluice.request('POST', `${path}/webhooks/${id}/ping`, { token });
    await until(async () => {
      const { body } = await sluice.request('GET', path, { token });
      return body.data.failing.webhooks === 1;
    });
    const page = await openAs(sluice, owner, '/applications');
    const row = page.getByRole('row').filter({ hasText: domain });
    await row.getByRole('link', { name: '1 webhook failing' }).click();
    await page.waitForURL(`**${path}/overview`);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('offers a file, examples and the docs where there is none', async () => {
    const page = await openAs(sluice, await sluice.owner(), '/applications');
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
    await page.getByText('npm run demo').waitFor();
    const docs = page.getByRole('link', { name: 'API docs' });
    expect(await docs.getAttribute('href')).toBe('/api/docs');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Choose a file' }).click();
    await page.getByRole('heading', { name: 'Create an application', level: 1 }).waitFor();
  });

  it('has 50 on a page', async () => {
    const many = await sluice.owner();
    for (let n = 0; n < 51; n++) {
      const json = { name: `no ${n}`, type: 'other', schema: '{"type":"object"}' };
      await sluice.request('POST', '/applications', { token: many.token, json });
    }
    const page = await openAs(sluice, many, '/applications');
    await page.getByRole('link', { name: 'no 50', exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    expect(await page.getByRole('button', { name: 'Newer' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'no 0', exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('link', { name: 'no 50', exact: true }).waitFor();
  });

  it('is read on a phone', async () => {
    await sluice.application(owner.token);
    const page = await openAs(sluice, owner, '/applications', { viewport: phone, colorScheme: 'dark' });
    await page.getByRole('row').nth(1).waitFor();
    await expectAccessible(page);
  });
});
