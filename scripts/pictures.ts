import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { logIn } from '../examples/demo/account.ts';
import { createClient } from '../examples/demo/client.ts';
import { signInLink } from '../examples/demo/demo-user.ts';
import { readOptions } from '../examples/demo/options.ts';
import { fillWeather, stream } from '../examples/demo/weather.ts';
import { findChromium } from '../test/browser/support/find-chromium.ts';

// Takes the pictures of the docs, in the account of the demo. With `--strip FOLDER` first, takes each page into that folder
// at two sizes, in light and dark.

const args = process.argv.slice(2);
const strip = args[0] === '--strip' ? args.splice(0, 2)[1] : undefined;
const folder = strip ?? join(import.meta.dirname, '../docs/images');
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

interface Picture {
  name: string;
  /** Below the application, unless it begins with a slash. */
  path: string;
  colorScheme?: 'light' | 'dark';
  viewport?: typeof desktop;
  isSignedOut?: boolean;
  /** Without what is below the window, also in a strip. */
  isOfWindow?: boolean;
  /** What to do on the page first. */
  prepare?: (page: Page) => Promise<unknown>;
}

const entries = 'entries?last=30d';
const ofDocs: Picture[] = [
  { name: 'entries-light', path: entries },
  { name: 'entries-dark', path: entries, colorScheme: 'dark' },
  { name: 'refused', path: 'refused', prepare: (page) => page.getByText('must be one of').first().click() },
  { name: 'create', path: '/applications/new', prepare: (page) => page.getByText('Use an example').click() },
  { name: 'send', path: 'send', prepare: (page) => page.getByRole('tab', { name: 'TypeScript' }).click() },
  { name: 'schema', path: 'schema', prepare: (page) => page.getByText('filled').first().waitFor() },
  { name: 'jobs', path: 'jobs' },
];

/** Pages that the docs do not show. */
const others: Picture[] = [
  {
    name: 'entry',
    path: entries,
    prepare: (page) => page.locator('tbody button').first().click(),
    isOfWindow: true,
  },
  { name: 'yesterday', path: 'entries?last=yesterday&filter=eq%3A%2Fstation%3Anorth&filter=bad' },
  { name: 'export', path: 'jobs?new=export' },
  { name: 'import', path: 'jobs?new=import' },
  { name: 'activity', path: 'activity' },
  { name: 'settings', path: 'settings' },
  { name: 'applications', path: '/applications' },
  { name: 'deleted', path: '/applications/deleted' },
  { name: 'profile', path: '/profile' },
  { name: 'audit', path: '/audit' },
  { name: 'nowhere', path: '/nowhere' },
  { name: 'sign-in', path: '/sign-in', isSignedOut: true },
];

const everyWay = ({ name, ...picture }: Picture): Picture[] =>
  [desktop, phone].flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => {
      const named = `${name}-${viewport.width}-${colorScheme}`;
      return { ...picture, name: named, viewport, colorScheme };
    }),
  );

const pictures = strip
  ? [...ofDocs.filter(({ name }) => name !== 'entries-dark'), ...others].flatMap(everyWay)
  : ofDocs;

async function take(page: Page, domain: string, picture: Picture): Promise<void> {
  const { name, path, colorScheme = 'light', viewport = desktop, prepare, isOfWindow = !strip } = picture;
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(viewport);
  await page.goto(path.startsWith('/') ? path : `/applications/${domain}/${path}`);
  await page.locator('h1').waitFor();
  await prepare?.(page);
  // A page that follows uploads is never idle.
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
  const loading = page.getByText('Loading').or(page.getByRole('status', { name: 'Loading' }));
  await loading.first().waitFor({ state: 'hidden' });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !isOfWindow });
}

/** In a page of its own. On a busy machine, Chromium may abort a navigation: it is tried once more. */
async function takeAlone(context: BrowserContext, domain: string, picture: Picture): Promise<void> {
  for (const isLast of [false, true]) {
    const page = await context.newPage();
    try {
      return await take(page, domain, picture);
    } catch (error) {
      if (isLast) throw error;
    } finally {
      await page.close();
    }
  }
}

const demo = readOptions(args, process.env);
if (!demo) throw new Error('its options are those of the demo');
const { url } = demo;
const client = createClient(url);
const { token } = await logIn(client, undefined);
const domain = await fillWeather(client, token);
await stream(client, domain, 5);
const link = await signInLink(url);
if (!link) throw new Error('only npm start on this machine has the demo user');

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: findChromium() });
try {
  const options = { baseURL: url, locale: 'en-GB' };
  const context = await browser.newContext(options);
  const signedOut = await browser.newContext(options);
  const first = await context.newPage();
  await first.goto(link);
  await first.waitForURL('**/applications');
  for (const picture of pictures) await takeAlone(picture.isSignedOut ? signedOut : context, domain, picture);
} finally {
  await browser.close();
}
