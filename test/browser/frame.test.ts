import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lowPort } from '../support/low-port.ts';
import { type SharedSluice, type Sluice, startSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { connect, desktop, phone, type View } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
  const json = {
    name: 'Weather',
    type: 'other',
    schema: '{"type":"object","properties":{"n":{"type":"number"}}}',
  };
  const { body } = await sluice.request('POST', '/applications', { token: owner.token, json });
  domain = body.data.domain;
  await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 'one' } });
});

describe('an application', () => {
  it('has its sections in a sidebar, which the keyboard opens, and its name in the title', async () => {
    const page = await openAs(sluice, owner, `/applications/${domain}/entries`);
    const sections = page.getByRole('navigation', { name: 'Sections of the application' });
    await sections.getByRole('link', { name: '1 upload waits to be fixed' }).waitFor();
    expect(await page.title()).toBe('Entries · Weather · Sluice');
    await sections.getByRole('link', { name: 'Schema' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Send data', level: 1 }).waitFor();
    expect(await page.title()).toBe('Send data · Weather · Sluice');
    expect(await sections.locator('[aria-current=page]').textContent()).toBe('Send data');
    await expectAccessible(page);
  });

  it('is switched for another by its name', async () => {
    await sluice.application(owner.token);
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
    await page.getByRole('button', { name: 'Weather: switch application' }).press('Enter');
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'All applications' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Entries', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).not.toContain(domain);
  });

  it('folds its sections on a phone', async () => {
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const page = await openAs(sluice, owner, `/applications/${domain}/jobs`, view);
    expect(await page.getByRole('link', { name: 'Schema' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Schema' }).click();
    await page.getByRole('heading', { name: 'Schema', level: 1 }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const [content, width] = await Promise.all([
      page.locator('#content').boundingBox(),
      page.evaluate('innerWidth'),
    ]);
    expect(content?.width).toBe(width);
  });
});

describe('the palette', () => {
  it('leads the keyboard anywhere', async () => {
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
    // Keys reach nobody before the page has started.
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Go to' });
    await field.waitFor();
    await expectAccessible(page);
    await field.fill('new exp');
    await page.getByRole('option', { name: 'New export', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/applications/${domain}/jobs?new=export`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Search' }).click();
    await field.press('ArrowUp');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field.fill('profile');
    await page.getByRole('option', { name: 'Profile' }).click();
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor();
  });

  it('goes where Enter asked for before its list had come', async () => {
    const page = await openAs(sluice, owner, '/profile');
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/applications?*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Search' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('schema');
    await page.getByRole('dialog').getByText('Loading').waitFor();
    await page.keyboard.press('Enter');
    gate.resolve();
    await page.waitForURL('**/schema');
  });
});

/** A page that may log failures of its files. Returns its exceptions. */
async function openUnwatched({ url }: Pick<Sluice, 'url'>, username: string, path: string, view: View = {}) {
  const { viewport = desktop, colorScheme = 'light' } = view;
  const options = { baseURL: url, locale: 'en-GB', reducedMotion: 'reduce', viewport, colorScheme } as const;
  const context = await (await connect()).newContext(options);
  onTestFinished(() => context.close());
  const data = { username, password: 'correct horse' };
  await context.request.post('/api/session', { data, headers: { origin: url }, failOnStatusCode: true });
  const page = await context.newPage();
  const exceptions: string[] = [];
  page.on('pageerror', (error) => exceptions.push(String(error)));
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, exceptions };
}

it('lists its keys', async () => {
  const page = await openAs(sluice, owner, `/applications/${domain}/entries`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Shift+?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Next and previous entry').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('dark');
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
});

describe('a section that cannot be shown', () => {
  it('says that its request hangs, until it has an answer', async () => {
    const path = `/applications/${domain}`;
    const { page, exceptions } = await openUnwatched(sluice, owner.username, `${path}/entries`);
    const held: (() => void)[] = [];
    await page.route('**/schemas?*', (route) => void held.push(() => void route.continue()));
    await page.route('**/schemas', (route) => void held.push(() => void route.continue()));
    await page.getByRole('link', { name: 'Schema' }).click();
    const said = page.getByText('Sluice takes longer than 5 seconds to answer');
    await said.waitFor();
    await expectAccessible(page);
    for (const go of held) go();
    await said.waitFor({ state: 'detached' });
    await page.getByText('This is the only version so far.').waitFor();
    expect(exceptions).toEqual([]);
  });

  it('says that Sluice is away, and opens by itself when Sluice is back', async () => {
    const PORT = String(await lowPort());
    const first = await startSluice({ workers: false, env: { PORT } });
    const { username, token } = await first.owner();
    const path = `/applications/${await first.application(token)}`;
    const { page, exceptions } = await openUnwatched(first, username, `${path}/entries`);
    await first.stop();
    await page.getByRole('link', { name: 'Schema' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Sluice cannot be reached' });
    await alert.getByRole('button', { name: 'Reload' }).waitFor();
    await expectAccessible(page);
    const again = await startSluice({
      workers: false,
      env: first.env,
    });
    onTestFinished(() => again.stop());
    await page.getByText('This is the only version so far.').waitFor();
    expect(await alert.count()).toBe(0);
    expect(exceptions).toEqual([]);
  });

  it('says that Sluice was updated, as a page does that gets the focus', async () => {
    const view = { viewport: phone, colorScheme: 'dark' } as const;
    const path = `/applications/${domain}`;
    const { page, exceptions } = await openUnwatched(sluice, owner.username, `${path}/entries`, view);
    const notice = page.getByRole('alert').filter({ hasText: 'Sluice was updated' });
    expect(await notice.count()).toBe(0);
    await page.route('**/assets/page-*.js', (route) => route.fulfill({ status: 404, json: {} }));
    await page.route(`${sluice.url}/`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace(/index-\w+/, 'index-new'),
      });
    });
    await until(async () => {
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      return (await notice.count()) === 1;
    });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('link', { name: 'Schema' }).click();
    await page.getByRole('heading', { name: 'Schema', level: 1 }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await notice.waitFor();
    await page.unrouteAll();
    await notice.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('This is the only version so far.').waitFor();
    expect(exceptions).toEqual([]);
  });

  it('says which file did not come, and which page broke, and leaves the others open', async () => {
    const path = `/applications/${domain}`;
    const { page } = await openUnwatched(sluice, owner.username, `${path}/entries`);
    await page.route('**/assets/page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Settings' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('This page could not be loaded').waitFor();
    await page.unrouteAll();
    await page.route(`**/api${path}`, (route) =>
      route.fulfill({
        json: { success: true, status: 200, data: { domain, name: 'Broken', role: 'owner' } },
      }),
    );
    await page.goto(`${path}/schema`);
    await alert.getByText('This page stopped working').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('This is the only version so far.').waitFor();
  });
});
