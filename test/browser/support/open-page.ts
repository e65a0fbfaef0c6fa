import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import type { Sluice } from '../../support/sluice.ts';
import { problemsOf } from './problems.ts';

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

export interface View {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

let browser: Promise<Browser> | undefined;

/** The browser of all tests. */
export function connect(): Promise<Browser> {
  browser ??= chromium.connect(inject('browserUrl'));
  return browser;
}

/** Of the test before: it has the scripts of the console compiled. Cookies and storage are gone. */
let spare: { url: string; context: BrowserContext } | undefined;

async function takeContext(url: string): Promise<BrowserContext> {
  const { context } = spare?.url === url ? spare : {};
  if (context) spare = undefined;
  if (context) return context;
  const made = await (await connect()).newContext({ baseURL: url, locale: 'en-GB', reducedMotion: 'reduce' });
  made.setDefaultTimeout(60_000);
  return made;
}

async function leaveContext(url: string, context: BrowserContext): Promise<void> {
  const pages = context.pages();
  await Promise.all(pages.map((page) => page.evaluate('localStorage.clear()').catch(() => {})));
  await Promise.all(pages.map((page) => page.close()));
  await context.clearCookies();
  await spare?.context.close();
  spare = { url, context };
}

/** Opens the path as in another browser. The test fails if the page has problems: see `problemsOf`. Call in a test. */
export async function openPage(
  { url }: Pick<Sluice, 'url'>,
  path: string,
  { viewport = desktop, colorScheme = 'light' }: View = {},
  prepare: (context: BrowserContext) => Promise<unknown> = async () => {},
): Promise<Page> {
  const context = await takeContext(url);
  const page = await context.newPage();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const problems = problemsOf(page, url);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await screenshot(page, `failed-${task.name}`);
    await leaveContext(url, context);
    expect(problems).toEqual([]);
  });
  await prepare(context);
  await page.goto(path);
  return page;
}

/** Saves a screenshot for people to look at. */
async function screenshot(page: Page, name: string): Promise<void> {
  const file = `${name.replace(/\W+/g, '-').slice(0, 80)}.png`;
  await page.screenshot({ path: join(import.meta.dirname, '../shots', file), fullPage: true });
}
