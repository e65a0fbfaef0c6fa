import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import type { Sluice } from '../../support/sluice.ts';
import { problemsOf } from './problems.ts';

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

export interface View {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

/** Opens the path in a new browser. The test fails if the page has problems: see `problemsOf`. Call in a test. */
export async function openPage(
  { url }: Pick<Sluice, 'url'>,
  path: string,
  { viewport = desktop, colorScheme = 'light' }: View = {},
): Promise<Page> {
  const browser = await chromium.connect(inject('browserUrl'));
  const context = await browser.newContext({
    ...{ baseURL: url, viewport, colorScheme },
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems = problemsOf(page, url);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await screenshot(page, `failed-${task.name}`);
    await browser.close();
    expect(problems).toEqual([]);
  });
  await page.goto(path);
  return page;
}

const folder = process.env.BROWSER_SHOTS ?? join(import.meta.dirname, '../shots');

/** Saves a screenshot for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const file = `${name.replace(/\W+/g, '-').slice(0, 80)}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: true });
}
