import type { ConsoleMessage, Page } from 'playwright-core';

/** The browser logs each failure that the API answers. Pages show these failures, and tests check the pages. */
const isFailureOfApi = (message: ConsoleMessage) =>
  message.text().startsWith('Failed to load resource') &&
  new URL(message.location().url).pathname.startsWith('/api/');

/** The problems of a page so far: errors on its console (with those of its CSP), exceptions, requests to other hosts. */
export function problemsOf(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !isFailureOfApi(message)) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) problems.push(`request to ${request.url()}`);
  });
  return problems;
}
