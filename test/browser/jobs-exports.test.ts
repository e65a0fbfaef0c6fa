import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../support/export-client.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { type SharedSluice, startSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { startBreakingProxy } from './support/breaking-proxy.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;

const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' }, tags: { type: 'array' } },
};

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
  domain = await sluice.application(owner.token, schema);
  const entries = Array.from({ length: 50 }, (_, n) => ({ place: n % 2 ? 'Oslo' : 'Rome', celsius: n }));
  await sluice.request('POST', `/applications/${domain}/data/batch`, { json: entries });
});

describe('the exports of an application', () => {
  it('are made with the columns of choice, shown with their facts, downloaded and removed', async () => {
    const query = new URLSearchParams({ new: 'export', filter: 'eq:/place:Oslo' });
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?${query}`);
    await page.getByText('No exports or imports yet').waitFor();
    await page.getByText('Period: All. Filters: place = Oslo.').waitFor();
    await expectAccessible(page);
    await page.getByRole('combobox', { name: 'Columns' }).fill('cel');
    await page.getByRole('option', { name: 'celsius' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const item = page.getByRole('listitem').filter({ hasText: 'Completed' });
    await item.getByText('place = Oslo · 25 entries · 1 column', { exact: true }).waitFor();
    await item.getByText(/^CSV · /).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      item.getByRole('button', { name: 'Download' }).click(),
    ]);
    const csv = await text(await download.createReadStream());
    expect(csv.split('\r\n').slice(0, 3)).toEqual(['celsius', '1', '3']);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await item.getByTitle(sha256(csv)).waitFor();
    await item.getByText(`Export ${download.suggestedFilename()}`).waitFor();

    await page.reload();
    await item.getByText('25 entries').waitFor();
    const remove = item.getByRole('button', { name: 'Remove from list' });
    await remove.click();
    await item.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await remove.click();
    await page.getByText('No exports or imports yet').waitFor();
  });

  it('show what the API says of the form', async () => {
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs?new=export`, {
      viewport: phone,
      colorScheme: 'dark',
    });
    await page.getByText('More options').click();
    const columns = page.getByRole('combobox', { name: 'Columns' });
    await columns.fill('nope');
    await columns.press('Enter');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('alert').getByText('there is no column nope', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('wait for a worker, stay over a reload, and are shown as completed when they are', async () => {
    const waiting = await startSluice({ workers: false });
    onTestFinished(() => waiting.stop());
    const other = await waiting.owner();
    const path = `/applications/${await waiting.application(other.token)}/jobs?new=export`;
    const page = await openAs(waiting, other, path);
    const ask = page.getByRole('button', { name: 'Export', exact: true });
    await ask.click();
    await page.getByText('Waiting for a worker').waitFor();
    await page.getByRole('listitem').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await ask.click();
    await page.getByText('Waiting for a worker').waitFor();
    await page.reload();
    await page.getByText('Waiting for a worker').waitFor();
    const log = createLogger('test', { level: 'silent', pretty: false });
    const worker = await startExportWorker(loadExportWorkerConfig(waiting.env), log, quickTimings);
    onTestFinished(() => worker.stop());
    await page.getByText('Completed').waitFor();
    await page.getByText('0 entries').waitFor();
  });

  it('are downloaded whole though the connection breaks and the page is left', async () => {
    const mine = await sluice.application(owner.token);
    const noise = Array.from({ length: 60 }, () => ({ noise: randomBytes(50_000).toString('base64') }));
    await sluice.request('POST', `/applications/${mine}/data/batch`, { json: noise });
    const url = await startBreakingProxy(sluice.url, '/file', 1024 ** 2);
    const page = await openAs({ url }, owner, `/applications/${mine}/jobs?new=export`);
    await page.getByLabel('Format').selectOption('ndjson');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('link', { name: 'Schema', exact: true }).click();
    await page.getByRole('complementary', { name: 'Transfers' }).getByText('The connection broke').waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Resume' }).click(),
    ]);
    const ndjson = await text(await download.createReadStream());
    expect(
      ndjson
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).payload),
    ).toEqual(noise);
  });
});
