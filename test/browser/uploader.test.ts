import { once } from 'node:events';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { type Sluice, startSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';
import { clientFor } from '../uploaders/client-for.ts';

let sluice: Sluice;
let token: string;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
  token = (await sluice.owner()).token;
});
afterAll(() => sluice.stop());

/** A web page of another origin that has the uploader. Call in a test. */
async function openShop() {
  const schema = { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } };
  const domain = await sluice.application(token, schema);
  const script = stripTypeScriptTypes((await clientFor('typescript', domain, schema)).text);
  const page = `<script type="module">
    import { Uploader } from './client.js';
    window.uploader = new Uploader({ baseUrl: '${sluice.url}', batchLines: 2, batchSeconds: 600 });
    addEventListener('pagehide', () => window.uploader.send({ n: 9, text: 'sent at the end' }));
  </script>`;
  const server = createServer(({ url }, response) => {
    const isScript = url === '/client.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { status } = await sluice.request('PATCH', `/applications/${domain}`, {
    token,
    json: { allowed_origins: [shop] },
  });
  expect(status).toBe(200);
  const browser = await chromium.connect(inject('browserUrl'));
  const context = await browser.newContext();
  onTestFinished(async () => {
    await browser.close();
    server.close();
  });
  return { context, shop, domain, numbers: () => numbersOf(domain) };
}

const numbersOf = async (domain: string) =>
  (await uploadClient(sluice, token).payloads(domain)).map(({ n }) => n).sort((a, b) => a - b);

async function openWithUploader(context: BrowserContext, shop: string) {
  const page = await context.newPage();
  await page.goto(shop);
  await page.waitForFunction('window.uploader');
  return page;
}

const send = (numbers: number[]) =>
  `for (const n of ${JSON.stringify(numbers)}) window.uploader.send({ n, text: '' })`;

it.each([
  ['is closed', (page: Page) => page.close({ runBeforeUnload: true })],
  ['shows another page', (page: Page) => page.goto('about:blank')],
])('the uploader of a page sends what it holds when the browser %s', async (_what, leave) => {
  const { context, shop, numbers } = await openShop();
  const page = await openWithUploader(context, shop);
  await page.evaluate(`${send([0])}; window.uploader.flush()`);
  await page.evaluate(send([1, 2, 3, 4, 5]));
  await leave(page);
  // Each batch is a request of its own, and they arrive in any order.
  await until(async () => (await numbers()).length >= 7);
  expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 9]);
});
