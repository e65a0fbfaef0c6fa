import type { ConsoleMessage, Page } from 'playwright-core';

/** The browser logs each answer of the API that is a failure. Pages show those, and tests look at what they show. */
const isFailureOfApi = (message: ConsoleMessage) =>
  message.text().startsWith('Failed to load resource') &&
  new URL(message.location().url).pathname.startsWith('/api/');

/** What a page did wrong until now: errors on its console, which those of its CSP are too, exceptions, and requests to other hosts. */
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
