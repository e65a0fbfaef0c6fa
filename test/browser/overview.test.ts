import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { startEntries } from './support/entries.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

const numberOf = (page: Page, label: string) =>
  page.locator('.figure', { hasText: label }).locator('.number').textContent();
const partOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Health' }).getByRole('listitem').filter({ hasText: name });

/** An application with 3 entries of a key and 2 without, 3 refused and 2 lost uploads, and a webhook nobody hears. */
async function busy() {
  const owner = await sluice.owner();
  const { token } = owner;
  const { domain, upload } = await startEntries(sluice, token, 2);
  const path = `/applications/${domain}`;
  const json = { name: 'roof' };
  const { key } = (await sluice.request('POST', `${path}/keys`, { token, json })).body.data;
  for (const celsius of [1, 2, 3])
    await sluice.request('POST', `${path}/data`, {
      json: { celsius },
      headers: { authorization: `Bearer ${key}` },
    });
  for (const celsius of ['a', 'b', 'c']) await upload({ celsius });
  const headers = { 'content-type': 'application/json' };
  for (const body of ['{', '}']) await sluice.request('POST', `${path}/data`, { body, headers });
  const webhook = { url: 'https://sluice.invalid/', events: ['export.failed'] };
  const { id } = (await sluice.request('POST', `${path}/webhooks`, { token, json: webhook })).body.data;
  await sluice.request('POST', `${path}/webhooks/${id}/ping`, { token });
  await until(async () => {
    const { data } = (await sluice.request('GET', path, { token })).body;
    return data.refused_24h === 3 && data.failing.webhooks === 1;
  });
  await until(async () => {
    const { data } = (await sluice.request('GET', `${path}/stats`, { token })).body;
    return data.some(({ lost }: { lost: { not_json: number } }) => lost.not_json === 2);
  });
  return { owner, domain, path };
}

it('the overview says what came, what was refused, what was lost and what fails', async () => {
  const { owner, path } = await busy();
  const page = await openAs(sluice, owner, `${path}/entries`);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('none on this day a week ago').waitFor();
  expect(await numberOf(page, 'Last hour')).toBe('5');
  expect(await numberOf(page, 'Last 24 hours')).toBe('5');
  expect(await numberOf(page, 'Refused, 24 hours')).toBe('30%');
  expect(await numberOf(page, 'Lost, 24 hours')).toBe('2');
  await page.getByText('2 not JSON').waitFor();
  expect(await numberOf(page, 'Last entry')).toMatch(/ago|now/);
  expect(await numberOf(page, 'Stored')).toMatch(/^\d+ bytes$/);
  await page.getByRole('img', { name: '5 entries, 3 refused, 2 lost' }).waitFor();

  const senders = page.getByRole('region', { name: 'By key, 24 hours' });
  expect(await senders.locator('tbody tr').allTextContents()).toEqual([
    'roof300',
    'Without a key23 (42.9%)2',
  ]);
  await partOf(page, 'Refused uploads').getByText('Check').waitFor();
  await partOf(page, 'Refused uploads').getByText('5 uploads wait to be fixed').waitFor();
  await partOf(page, 'Webhooks').getByText('0 of 1 deliver, 1 fail').waitFor();
  await partOf(page, 'Archive').getByText('Not used').waitFor();
  await partOf(page, 'Jobs').getByText('None runs, none failed in 24 hours.').waitFor();
  await expectAccessible(page);

  await page.locator('.figure', { hasText: 'Last 24 hours' }).click();
  await page.waitForURL('**/entries?last=24h');
  await page.goBack();
  await partOf(page, 'Webhooks').getByRole('link').click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

it('a reader sees what came, on a phone, and nothing of the parts of editors', async () => {
  const { owner, domain, path } = await busy();
  const reader = await sluice.owner();
  await sluice.request('PUT', `/applications/${domain}/members/${reader.username}`, {
    token: owner.token,
    json: { role: 'reader' },
  });
  const view = { viewport: phone, colorScheme: 'dark' } as const;
  const page = await openAs(sluice, reader, `${path}/overview`, view);
  await partOf(page, 'Jobs').waitFor();
  await page.getByText('2 not JSON').waitFor();
  expect(await partOf(page, '').count()).toBe(1);
  expect(await numberOf(page, 'Last 24 hours')).toBe('5');
  expect(await page.getByRole('cell', { name: 'roof' }).count()).toBe(0);
  await expectAccessible(page);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
});

it('an application without entries has an overview too', async () => {
  const owner = await sluice.owner();
  const domain = await sluice.application(owner.token);
  const page = await openAs(sluice, owner, `/applications/${domain}/overview`);
  await page.getByText('Nothing was uploaded in the last 24 hours.').waitFor();
  await page.getByText('None yet').waitFor();
  expect(await numberOf(page, 'Refused, 24 hours')).toBe('0%');
  await expectAccessible(page);
});
