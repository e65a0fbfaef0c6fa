import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startQuestions } from '../support/questions.ts';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { startEntries } from './support/entries.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

/** Begins the answers to questions. */
async function startAnswers(): Promise<void> {
  const worker = await startQuestions(sluice.env);
  onTestFinished(() => worker.stop());
}

const write = async (page: Page, sql: string) => {
  await page.getByRole('textbox', { name: 'Question in SQL' }).press('ControlOrMeta+a');
  await page.keyboard.insertText(sql);
};
const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });

it('asks, shows the answer as a table and a chart, and exports it', async () => {
  const owner = await sluice.owner();
  const { domain } = await startEntries(sluice, owner.token, 30);
  const page = await openAs(sluice, owner, `/applications/${domain}/ask`);
  const askIt = page.getByRole('button', { name: 'Ask', exact: true });
  await askIt.click();
  await page.getByRole('alert').getByText('no query worker answers').waitFor();
  await expectAccessible(page);
  await startAnswers();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('30 rows. The answer has every entry up to').waitFor();
  expect(await answerOf(page).locator('thead th').first().textContent()).toBe(
    'createdAttimestamp with time zone',
  );
  await page.getByRole('img', { name: /^celsius by createdAt: 30 values/ }).waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Top ten of place' }).click();
  const chart = page.getByRole('region', { name: 'Chart' });
  await chart.getByRole('listitem').first().waitFor();
  expect(await chart.getByRole('listitem').allTextContents()).toHaveLength(2);
  await expectAccessible(page);

  await write(page, "select 'Oslo' as place, 9007199254740993 as n, null as nothing");
  await page.keyboard.press('Control+Enter');
  await answerOf(page).getByRole('cell', { name: '9007199254740993' }).waitFor();
  expect(await answerOf(page).getByRole('cell').allTextContents()).toEqual([
    'Oslo',
    '9007199254740993',
    'NULL',
  ]);
  for (const [format, begin] of [
    ['CSV', 'place,n,nothing\r\nOslo,9007199254740993,'],
    ['NDJSON', '{"place":"Oslo","n":9007199254740993,'],
    ['Parquet', 'PAR1'],
  ] as const) {
    await page.getByRole('button', { name: 'Export this' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: format, exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${domain}-answer.${format.toLowerCase()}`);
    expect(await text(await file.createReadStream())).toContain(begin);
  }
});

it('completes columns, marks what is wrong, and cancels', async () => {
  const owner = await sluice.owner();
  const { domain } = await startEntries(sluice, owner.token, 3);
  await startAnswers();
  const page = await openAs(sluice, owner, `/applications/${domain}/ask`, {
    viewport: phone,
    colorScheme: 'dark',
  });
  await write(page, 'select ');
  await page.getByRole('button', { name: 'celsius number' }).click();
  await page.keyboard.type(', pla');
  await page.getByRole('option', { name: 'place' }).click();
  await page.keyboard.type('\nfrom entries wher');
  await page.keyboard.press('Escape');
  await page.keyboard.type(' x = 1');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('(line 2, column 19)').waitFor();
  expect(await page.locator('.cm-lintRange-error').allTextContents()).toEqual(['x']);
  await expectAccessible(page);

  await write(page, 'select max(a.range * b.range) from range(1000000) a, range(10000000) b');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await Promise.all([
    page.waitForEvent('requestfailed'),
    page.getByRole('button', { name: 'Cancel' }).click(),
  ]);
  await write(page, 'select count(*) as n from entries');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await answerOf(page).getByRole('cell', { name: '3', exact: true }).waitFor();
  await expectAccessible(page);
});

it('saves questions, which members open', async () => {
  const [owner, reader] = [await sluice.owner(), await sluice.owner()];
  const { domain } = await startEntries(sluice, owner.token, 3);
  const member = `/applications/${domain}/members/${reader.username}`;
  await sluice.request('PUT', member, { token: owner.token, json: { role: 'reader' } });
  await startAnswers();
  const page = await openAs(sluice, owner, `/applications/${domain}/ask`);
  await write(page, 'select max(celsius) as hottest from entries');
  await page.getByRole('button', { name: 'Saved questions' }).click();
  await page.getByText('No question is saved yet.').waitFor();
  await page.getByLabel('Name of the question').fill('Hottest');
  await page.getByRole('button', { name: 'Save the question' }).click();
  await page.getByRole('button', { name: 'Hottest', exact: true }).waitFor();
  await page.getByLabel('Name of the question').fill('Hottest');
  await page.getByRole('button', { name: 'Save the question' }).click();
  await page.getByText('there is a question with the name Hottest').waitFor();
  await expectAccessible(page);

  const shared = await openAs(sluice, reader, `/applications/${domain}/ask`);
  await shared.getByRole('button', { name: 'Saved questions' }).click();
  const hottest = shared.getByRole('button', { name: 'Hottest', exact: true });
  await hottest.waitFor();
  expect(await shared.getByRole('button', { name: /^(Delete|Save) the question/ }).count()).toBe(0);
  await expectAccessible(shared);
  await hottest.click();
  await answerOf(shared).getByRole('cell', { name: '2', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Delete the question Hottest' }).click();
  await page
    .getByRole('dialog', { name: 'Delete the question Hottest' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await page.getByText('No question is saved yet.').waitFor();
});
