import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProvider } from '../support/oidc-provider.ts';
import { startSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { connect } from './support/open-page.ts';
import { problemsOf } from './support/problems.ts';

const provider = await startProvider();
const sluice = await startSluice({ workers: false, env: provider.env });
afterAll(async () => {
  await sluice.stop();
  provider.stop();
});
const { publicUrl } = provider;
const password = 'correct horse';
/** The pages of the provider want them. */
const fonts = 'https://fonts.googleapis.com/**';

const isOfProvider = (problem: string, issuer: string) =>
  [issuer, 'https://fonts.googleapis.com'].some((origin) => problem.startsWith(`request to ${origin}/`));

/** A browser of its own: it also visits the provider, at another site. */
async function newBrowser(): Promise<BrowserContext> {
  const context = await (await connect()).newContext({ baseURL: publicUrl, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  await context.route(fonts, (route) => route.fulfill({ contentType: 'text/css', body: '' }));
  onTestFinished(() => context.close());
  return context;
}

async function openPage(context: BrowserContext, path: string, at = provider): Promise<Page> {
  const page = await context.newPage();
  const problems = problemsOf(page, at.publicUrl);
  onTestFinished(() => expect(problems.filter((each) => !isOfProvider(each, at.issuer))).toEqual([]));
  await page.goto(path);
  return page;
}

/** Fills in the pages of the provider. */
async function enterThere(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(`id-of-${login}`);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const through = (page: Page) => page.getByRole('link', { name: 'Sign in with Example Inc.' }).click();
const isUser = (page: Page, username: string) =>
  page.getByText(`You are signed in as ${username}.`).waitFor();

async function openMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('the sign-in page', () => {
  it('leads through the provider to the page that was asked for, in all tabs, and back out', async () => {
    const context = await newBrowser();
    // The page that `sluice login` opens.
    const path = '/profile?token_name=sluice+on+laptop&scopes=read';
    const [page, tab] = [await openPage(context, path), await openPage(context, '/profile')];
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await through(page);
    await enterThere(page, 'ada');
    await isUser(page, 'ada');
    expect(page.url()).toBe(publicUrl + path);
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    expect((await sluice.request('GET', '/users/me', { token })).body.data.username).toBe('ada');
    await isUser(tab, 'ada');
    const cookies = await context.cookies(`${publicUrl}/api/session/oidc/callback`);
    expect(cookies.filter(({ name }) => name.startsWith('sluice_'))).toEqual([
      expect.objectContaining({ name: 'sluice_session', httpOnly: true, sameSite: 'Strict' }),
    ]);
    await page.reload();
    await isUser(page, 'ada');
    await openMenu(page, 'Sign out');
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).origin).toBe(publicUrl);
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Signed out there too: the provider asks who it is.
    await through(page);
    await page.getByPlaceholder('Enter any login').waitFor();
  });

  it('says why the provider led back in vain, and takes a password then', async () => {
    const { username } = await sluice.owner();
    const page = await openPage(await newBrowser(), '/');
    await through(page);
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('The provider did not let you in.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Username').fill(username);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
  });

  it('shows no words of a link', async () => {
    const page = await openPage(await newBrowser(), '/sign-in?failed=Call%20555-0100');
    await page.getByRole('alert').getByText('The provider gave an answer that is not valid.').waitFor();
    expect(await page.content()).not.toContain('555-0100');
  });
});

it('takes no passwords where they are off', async () => {
  const own = await startProvider();
  const other = await startSluice({ workers: false, env: { ...own.env, PASSWORD_LOGIN: 'off' } });
  onTestFinished(async () => {
    await other.stop();
    own.stop();
  });
  const page = await openPage(await newBrowser(), `${own.publicUrl}/sign-in`, own);
  await page.getByRole('link', { name: 'Sign in with Example Inc.' }).waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  await through(page);
  await enterThere(page, 'ada');
  await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
});

describe('the profile', () => {
  it('links the user to an account of the provider, once', async () => {
    const { username } = await sluice.owner();
    const context = await newBrowser();
    const options = { data: { username, password }, headers: { origin: publicUrl }, failOnStatusCode: true };
    await context.request.post('/api/session', options);
    const page = await openPage(context, '/profile');
    await page.getByRole('button', { name: 'Link Example Inc.' }).click();
    await enterThere(page, `also-${username}`);
    await page.getByText('Linked to Example Inc.').waitFor();
    await isUser(page, username);
    await expectAccessible(page);
    const other = await openPage(await newBrowser(), '/profile');
    await through(other);
    await enterThere(other, `also-${username}`);
    await isUser(other, username);
  });

  it('says that another user has the account', async () => {
    const [first, second] = [await sluice.owner(), await newBrowser()];
    const options = {
      data: { username: first.username, password },
      headers: { origin: publicUrl },
      failOnStatusCode: true,
    };
    const taken = await openPage(await newBrowser(), '/profile');
    await through(taken);
    await enterThere(taken, 'eve');
    await isUser(taken, 'eve');
    // Who came through the provider has no password to change.
    expect(await taken.getByRole('button', { name: 'Change password' }).count()).toBe(0);
    await second.request.post('/api/session', options);
    const page = await openPage(second, '/profile');
    await page.getByRole('button', { name: 'Link Example Inc.' }).click();
    await enterThere(page, 'eve');
    await page.getByRole('alert').getByText('Another user signs in with this account').waitFor();
    await isUser(page, first.username);
    await until(async () => new URL(page.url()).pathname === '/profile');
  });
});
