import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SharedSluice } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

const schema = `{
  "type": "object",
  "properties": {
    "place": { "type": "string" },
    "celsius": { "type": "number" }
  }
}`;

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

/** Shows the JSON in place of the fields. */
const showJson = (page: Page) => page.getByText('JSON', { exact: true }).click();

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Schema', exact: true });

async function write(page: Page, text: string): Promise<void> {
  const editor = editorOf(page);
  if ((await editor.count()) === 0) await showJson(page);
  await editor.click();
  await editor.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const versionsOf = async (domain: string) =>
  (await sluice.request('GET', `/applications/${domain}/schemas`, { token: owner.token })).body.data;

describe('the schema of an application', () => {
  it('may be text that is nested thousands of levels deep', async () => {
    const domain = await sluice.application(owner.token, JSON.parse(schema));
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`);
    await page.getByText('This is the only version so far.').waitFor();
    await write(page, `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`);
    await page
      .getByRole('region', { name: 'What would change' })
      .getByText(/nest|deep/)
      .waitFor();
    await write(page, schema.replace('"number"', '"nubmer"'));
    await page.getByText('`nubmer` is not a type, at /properties/celsius/type').waitFor();
  });

  it('is edited, reported on, rehearsed, published and compared', async () => {
    const domain = await sluice.application(owner.token, JSON.parse(schema));
    const till = { token: owner.token, json: { name: 'till-7' } };
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, till);
    const headers = { 'x-api-key': body.data.key };
    for (const celsius of [1, 61, 62])
      await sluice.request('POST', `/applications/${domain}/data`, { json: { celsius }, headers });
    const line = 'Key till-7: 66.7% of 3 would be refused, at /celsius';
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`);
    await page.getByText('This is the only version so far.').waitFor();

    await write(page, schema.replace('"number"', '"nubmer"'));
    const report = page.getByRole('region', { name: 'What would change' });
    await report.getByText('`nubmer` is not a type, at /properties/celsius/type').waitFor();
    const marked = page.locator('.cm-lintRange-error');
    expect(await marked.allTextContents()).toEqual(['"type": "nubmer"']);
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
    await expectAccessible(page);

    await write(page, schema.replace('"number"', '"number", "maximum": 60'));
    await report
      .getByText('1 change, 1 stricter; 2 of the newest 3 entries would be refused, of 1 key')
      .waitFor();
    await report.getByText('Show the changes').click();
    await report.getByText('/celsius', { exact: true }).waitFor();
    await report.getByText(line).waitFor();
    // What is written is still there when the page is left and opened again.
    await page.getByRole('link', { name: 'Entries' }).click();
    await page.getByRole('link', { name: 'Schema unpublished' }).click();
    await report.getByText('1 stricter').waitFor();
    await page.getByRole('button', { name: 'Rehearse' }).click();
    const rehearsal = page.getByRole('listitem').filter({ hasText: 'Completed' });
    await rehearsal.getByText('1 of 3 conform').waitFor();
    await rehearsal.getByText(line).waitFor();
    await rehearsal.getByRole('row', { name: '/celsius maximum 2' }).waitFor();

    await page.getByRole('button', { name: 'Publish' }).click();
    const question = page.getByRole('dialog', { name: 'Publish version 2' });
    await question.getByText('2 of the newest 3 entries would be refused').waitFor();
    await expectAccessible(page);
    const note = question.getByLabel('Note');
    await note.fill('Thermometers end at 60');
    await note.press('Enter');
    expect(await versionsOf(domain)).toHaveLength(1);
    await question.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is in force.').waitFor();
    await page.getByRole('row', { name: `2 Thermometers end at 60 ${owner.username}` }).waitFor();
    await page
      .getByLabel('Changes from version 1 to version 2')
      .getByText('"maximum": 60', { exact: false })
      .waitFor();
    await expectAccessible(page);
    expect((await versionsOf(domain))[0]).toMatchObject({ version: 2, note: 'Thermometers end at 60' });
  });

  it('is not published over a version that somebody else published', async () => {
    const domain = await sluice.application(owner.token, JSON.parse(schema));
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`, {
      viewport: phone,
      colorScheme: 'dark',
    });
    await write(page, schema.replace('"number"', '"integer"'));
    const other = await sluice.owner();
    const member = `/applications/${domain}/members/${other.username}`;
    await sluice.request('PUT', member, { token: owner.token, json: { role: 'editor' } });
    const others = schema.replace('"place"', '"town"');
    await sluice.request('POST', `/applications/${domain}/schemas`, {
      token: other.token,
      json: { schema: others },
    });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Someone else published a version meanwhile').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Load the version in force' }).click();
    await page.getByText('Version 2', { exact: true }).waitFor();
    expect(await editorOf(page).textContent()).toContain('"town"');
    // The text is not lost: it is a change of their version now.
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog', { name: 'Publish version 3' }).waitFor();
    expect(await editorOf(page).textContent()).toContain('"integer"');
    expect(await versionsOf(domain)).toHaveLength(2);
  });

  it('is older than a version that the user published elsewhere, and nobody else is named', async () => {
    const domain = await sluice.application(owner.token, JSON.parse(schema));
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`);
    await write(page, schema.replace('"number"', '"integer"'));
    await page.getByRole('button', { name: 'Publish' }).waitFor();
    const json = { schema: schema.replace('"place"', '"town"') };
    await sluice.request('POST', `/applications/${domain}/schemas`, { token: owner.token, json });
    await page.reload();
    await page.getByText('You published a version meanwhile').waitFor();
    await page.getByRole('button', { name: 'Load the version in force' }).waitFor();
    expect(await page.getByText('Someone else').count()).toBe(0);
  });

  it('is completed with the keywords that may stand there', async () => {
    const domain = await sluice.application(owner.token, JSON.parse(schema));
    const page = await openAs(sluice, owner, `/applications/${domain}/schema`);
    await write(page, '{ "type": "object", "properties": { "at": {  } } }');
    for (let step = 0; step < '} } }'.length + 1; step += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('"for');
    await page.getByRole('option', { name: 'format' }).click();
    expect(await editorOf(page).textContent()).toContain('"at": { "format" }');
    await write(page, schema);
    await editorOf(page).press('ControlOrMeta+a');
    await page.keyboard.type('{');
    expect(await page.locator('.cm-line').allTextContents()).toEqual(['{']);
  });
});
