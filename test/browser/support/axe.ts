import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../../support/sluice.ts';

/** Fails when the page as it is has findings of axe that are serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  // The label of a button that waits for its answer is hidden.
  await until(async () => (await page.locator('[data-loading]').count()) === 0);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const found = grave.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(' ')) }));
  expect(found).toEqual([]);
}
