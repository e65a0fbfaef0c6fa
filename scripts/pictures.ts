import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { logIn } from '../examples/demo/account.ts';
import { createClient } from '../examples/demo/client.ts';
import { signInLink } from '../examples/demo/demo-user.ts';
import { readOptions } from '../examples/demo/options.ts';
import { fillWeather, stream } from '../examples/demo/weather.ts';
import { findChromium } from '../test/browser/support/find-chromium.ts';

// Takes the pictures of the docs, in the account of the demo.

const folder = join(import.meta.dirname, '../docs/images');
const desktop = { width: 1280, height: 800 };

interface Picture {
  name: string;
  /** Below the application, unless it begins with a slash. */
  path: string;
  colorScheme?: 'light' | 'dark';
  /** What to do on the page first. */
  prepare?: (page: Page) => Promise<unknown>;
}

const entries = 'entries?last=30d';
const pictures: Picture[] = [
  { name: 'entries-light', path: entries },
  { name: 'entries-dark', path: entries, colorScheme: 'dark' },
  { name: 'refused', path: 'refused', prepare: (page) => page.getByText('must be one of').click() },
  { name: 'create', path: '/applications/new', prepare: (page) => page.getByText('Use an example').click() },
  { name: 'send', path: 'send' },
  { name: 'schema', path: 'schema' },
  { name: 'jobs', path: 'jobs' },
];

async function take(context: BrowserContext, domain: string, picture: Picture): Promise<void> {
  const { name, path, colorScheme = 'light', prepare } = picture;
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(desktop);
  await page.goto(path.startsWith('/') ? path : `/applications/${domain}/${path}`);
  await page.locator('h1').waitFor();
  await prepare?.(page);
  // A page that follows uploads is never idle.
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

const options = readOptions(process.argv.slice(2), process.env);
if (!options) throw new Error('its options are those of the demo');
const { url } = options;
const client = createClient(url);
const { token } = await logIn(client, undefined);
const domain = await fillWeather(client, token);
await stream(client, domain, 5);
const link = await signInLink(url);
if (!link) throw new Error('only npm start on this machine has the demo user');

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: findChromium() });
try {
  const context = await browser.newContext({ baseURL: url, locale: 'en-GB' });
  const first = await context.newPage();
  await first.goto(link);
  await first.waitForURL('**/applications');
  for (const picture of pictures) await take(context, domain, picture);
} finally {
  await browser.close();
}
