import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startQuestions } from '../support/questions.ts';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { addFilter, cellsOf, counted, queryOf, startEntries } from './support/entries.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

async function start(count: number) {
  const owner = await sluice.owner();
  const started = await startEntries(sluice, owner.token, count);
  return { owner, ...started };
}

it('shows what the fields hold, and selects by a click', async () => {
  const { owner, path, upload } = await start(30);
  await upload({ place: 'Rome', celsius: 40, sky: 'cloudy', size: '7' });
  const page = await openAs(sluice, owner, path);
  await counted(page, '31 entries');
  const rail = page.getByRole('complementary', { name: 'Fields of the entries' });
  await page.getByRole('button', { name: 'Fields' }).click();
  await rail.getByRole('alert').getByText('no query worker answers').waitFor();
  const worker = await startQuestions(sluice.env);
  onTestFinished(() => worker.stop());
  await rail.getByRole('button', { name: 'Try again' }).click();
  const place = rail.getByRole('group').filter({ hasText: 'place' });
  const oslo = place.getByRole('button', { name: /^Oslo/ });
  await oslo.waitFor();
  expect(await oslo.textContent()).toBe('Oslo15');
  await expectAccessible(page);

  await oslo.click();
  await counted(page, '15 entries');
  await page.getByText('All: 15 entries, one bar').waitFor();
  await place.getByRole('button', { name: /^Rome/ }).waitFor({ state: 'detached' });

  // Two values of a field, then one of them again.
  await addFilter(page, 'place', 'is one of', 'Oslo,Rome');
  await page.getByRole('button', { name: 'Remove the filter place = Oslo', exact: true }).click();
  await counted(page, '31 entries');
  expect(queryOf(page).getAll('filter')).toEqual(['in:/place:["Oslo","Rome"]']);
  await page.reload();
  await counted(page, '31 entries');
  await place.getByRole('button', { name: /^Rome/ }).click();
  await counted(page, '15 entries');

  await page.getByRole('button', { name: 'Change the filter place = Oslo' }).click();
  await page.getByLabel('Value').fill('Rome');
  await page.getByRole('button', { name: 'Change filter' }).click();
  await counted(page, '16 entries');
  await page.getByRole('button', { name: 'Remove the filter place = Rome' }).click();
  await counted(page, '31 entries');

  await place.getByRole('button', { name: /^Oslo/ }).click({ modifiers: ['Alt'] });
  await page.getByRole('button', { name: 'Remove the filter place ≠ Oslo' }).waitFor();
  await counted(page, '16 entries');
  await place.getByRole('button', { name: 'Without place = Rome' }).click();
  await page.getByRole('button', { name: 'Remove the filter place ≠ Rome' }).click();
  await counted(page, '31 entries');

  // The schema does not have it: `7` is a text.
  const size = rail.getByRole('group').filter({ hasText: 'size' });
  await size.locator('summary').click();
  await size.getByRole('button', { name: /^7/ }).click();
  await counted(page, '1 entry');
  await page.getByRole('button', { name: /^Remove the filter size/ }).click();
  await size.getByRole('button', { name: /empty$/ }).click();
  await counted(page, '30 entries');
  await page.getByRole('button', { name: 'Remove the filter size is missing' }).click();

  const celsius = rail.getByRole('group').filter({ hasText: 'celsius' });
  await celsius.getByRole('button', { name: /^celsius from 40 / }).click();
  await counted(page, '1 entry');
  expect(await cellsOf(page, 3)).toEqual(['40']);
  await expectAccessible(page);
});

it('selects by the value of a cell, and by one of an entry', async () => {
  const { owner, path, upload } = await start(4);
  await upload({ place: 'Rome', tags: ['a'], wind: { speed: 5 } });
  const page = await openAs(sluice, owner, path);
  await counted(page, '5 entries');
  const cell = page.getByRole('cell', { name: 'Oslo', exact: true }).first();
  await cell.hover();
  await cell.getByTitle('Only place = Oslo').click();
  await counted(page, '2 entries');
  expect(queryOf(page).get('entry')).toBeNull();
  await page.goBack();
  await page.getByRole('cell', { name: 'Rome', exact: true }).first().click();
  const panel = page.getByRole('dialog', { name: 'Entry' });
  await panel.getByRole('button', { name: 'Only wind.speed = 5' }).waitFor();
  await expectAccessible(page);
  expect(await panel.getByRole('button', { name: /^Only/ }).count()).toBe(2);
  await panel.getByRole('button', { name: 'Only wind.speed = 5' }).press('Enter');
  await counted(page, '1 entry');
});
