import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../../support/sluice.ts';

/** Colours in between have too little contrast. */
const transitionsEnd = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished),
).then(() => {})`;

/** Fails when axe finds a problem on the page, of these impacts. */
export async function expectAccessible(
  page: Page,
  impacts = ['minor', 'moderate', 'serious', 'critical'],
): Promise<void> {
  // A loading button hides its label. One in a hidden tab is not drawn again until it is shown.
  await until(async () => (await page.locator('[data-loading]:visible').count()) === 0);
  await page.evaluate(transitionsEnd);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  const found = violations
    .filter(({ impact }) => impacts.includes(impact ?? 'critical'))
    .map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(' ')) }));
  expect(found).toEqual([]);
}
