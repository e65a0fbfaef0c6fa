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
    "celsius": { "type": "number", "maximum": 9223372036854775807 },
    "by": { "type": "object", "properties": { "mail": { "type": "string" } } },
    "tags": { "type": "array", "items": { "type": "string" } },
    "kind": { "oneOf": [{ "const": 1 }, { "const": 2 }] }
  },
  "required": ["celsius"]
}`;

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Schema', exact: true });

async function openSchema(text: string, view = {}): Promise<{ page: Page; domain: string }> {
  const json = { name: 'Test', type: 'other', schema: text };
  const { domain } = (await sluice.request('POST', '/applications', { token: owner.token, json })).body.data;
  return { page: await openAs(sluice, owner, `/applications/${domain}/schema`, view), domain };
}

const showJson = (page: Page) => page.getByText('JSON', { exact: true }).click();
const showFields = (page: Page) => page.getByText('Fields', { exact: true }).click();
/** The line of a field; a click on it opens and closes its inputs. */
const lineOf = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name} `) });

describe('the form of a schema', () => {
  it('changes its place in the JSON alone, and shows what is changed there', async () => {
    const { page, domain } = await openSchema(schema);
    await lineOf(page, 'place').click();
    await page.getByLabel('Required of /place').check();
    await page.getByLabel('Max. length of /place').fill('40');
    const values = page.getByLabel('Only these values of /place');
    await values.fill('Oslo');
    await values.press('Enter');
    await lineOf(page, 'celsius').click();
    expect(await page.getByLabel('Max. length of /place').count()).toBe(0);
    expect(await page.getByLabel('Maximum of /celsius').inputValue()).toBe('9223372036854775807');
    await page.getByLabel('Minimum of /celsius').fill('-90.5');
    await lineOf(page, 'mail').click();
    await page.getByLabel('Format of /by/mail').selectOption('email');
    await page.getByLabel('Description of /by/mail').fill('Where alerts go');
    await page.getByText('Where alerts go').first().waitFor();
    const field = page.getByLabel('New field of the schema');
    await field.fill('at');
    await field.press('Enter');
    await page.locator('[aria-label="Type of /at"]:focus').waitFor();
    await lineOf(page, 'tags').click();
    const name = page.getByLabel('Name of /tags');
    await name.fill('labels');
    await name.press('Enter');
    await page.getByLabel('Min. length of /labels/-').fill('1');
    await page.getByText('Only in the JSON: oneOf').waitFor();
    await page.getByLabel('No other fields of the schema').check();
    await expectAccessible(page);
    await page.getByRole('region', { name: 'What would change' }).getByText('stricter').first().waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is in force.').waitFor();
    const { body } = await sluice.request('GET', `/applications/${domain}`, { token: owner.token });
    expect(body.data.template.raw_schema).toBe(`{
  "type": "object",
  "properties": {
    "place": { "type": "string", "maxLength": 40, "enum": ["Oslo"] },
    "celsius": { "type": "number", "maximum": 9223372036854775807, "minimum": -90.5 },
    "by": { "type": "object", "properties": { "mail": { "type": "string", "format": "email", "description": "Where alerts go" } } },
    "labels": { "type": "array", "items": { "type": "string", "minLength": 1 } },
    "kind": { "oneOf": [{ "const": 1 }, { "const": 2 }] },
    "at": {
      "type": "string"
    }
  },
  "required": ["celsius", "place"],
  "additionalProperties": false
}`);

    await showJson(page);
    await jsonOf(page).click();
    await jsonOf(page).press('ControlOrMeta+a');
    await page.keyboard.insertText('{ "type": "object", "properties": { "b": { "type": "integer" } } }');
    await showFields(page);
    await lineOf(page, 'b').waitFor();
    await showJson(page);
    await jsonOf(page).click();
    await page.keyboard.insertText(',');
    await showFields(page);
    await page.getByText('The fields are shown once the JSON is a valid object.').waitFor();
  });

  it('leads to the JSON of what it cannot show', async () => {
    const { page } = await openSchema(schema, { viewport: phone, colorScheme: 'dark' });
    await lineOf(page, 'kind').click();
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.keyboard.insertText('"anyOf": []');
    expect(await jsonOf(page).textContent()).toContain('"kind": { "anyOf": [] }');
    await expectAccessible(page);
    await showFields(page);
    await page.getByText('Only in the JSON: anyOf').first().waitFor();
    await expectAccessible(page);
  });

  it('of 5,000 fields answers at once', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`field${n}`, { type: 'string' }]),
    );
    const { page } = await openSchema(
      JSON.stringify({ type: 'object', properties }, null, 0).replaceAll('},', '},\n'),
    );
    await page.getByText('Show 50 more of 4,950').waitFor();
    await page.getByLabel('Search fields of the schema').fill('field4999');
    await lineOf(page, 'field4999').click();
    const required = page.getByLabel('Required of /field4999');
    await required.waitFor();
    const elapsed = await page.evaluate(`(async () => {
      const started = performance.now();
      document.querySelector('[aria-label="Required of /field4999"]').click();
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      return performance.now() - started;
    })()`);
    expect(await required.isChecked()).toBe(true);
    expect(elapsed).toBeLessThan(1_000);
  });
});
