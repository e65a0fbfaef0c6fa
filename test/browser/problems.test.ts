import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../support/sluice.ts';
import { connect } from './support/open-page.ts';
import { problemsOf } from './support/problems.ts';

const pages: Record<string, string> = {
  '/favicon.ico': 'an icon',
  '/style': '<p style="color: red">',
  '/error': '<script src="/error.js"></script>',
  '/error.js': 'console.error("a mistake")',
  '/exception': '<script src="/exception.js"></script>',
  '/exception.js': 'throw new Error("a fault")',
  '/missing': '<script src="/nowhere.js"></script>',
  '/elsewhere': '<img src="http://127.0.0.2:9/logo.png">',
  '/refused': '<script src="/refused.js"></script>',
  '/refused.js': 'fetch("/api/nowhere").then(() => console.error("all"))',
};

async function serve(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-security-policy', "default-src 'self'; img-src *");
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.writeHead(pages[url] ? 200 : 404).end(pages[url]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['style', [expect.stringMatching(/inline style.*Content Security Policy/)]],
  ['error', ['a mistake']],
  ['exception', ['Error: a fault']],
  ['missing', [expect.stringContaining('404')]],
  ['elsewhere', ['request to http://127.0.0.2:9/logo.png', expect.stringContaining('ERR_')]],
  ['refused', ['all']],
])('what a page does wrong is noticed: %s', async (path, expected) => {
  const url = await serve();
  const page = await (await connect()).newPage();
  onTestFinished(() => page.close());
  const problems = problemsOf(page, url);
  await page.goto(`${url}/${path}`);
  await until(async () => problems.length >= expected.length);
  expect(problems).toEqual(expected);
});
