import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startQuestions } from '../support/questions.ts';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };

const schema = {
  type: 'object',
  title: 'Weather station',
  properties: {
    email: { type: 'string', format: 'email', description: 'Who reads it' },
    celsius: { type: 'number', maximum: 60 },
    by: { type: 'object', properties: { name: { type: 'string' } } },
  },
  required: ['email'],
};

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

async function start() {
  const domain = await sluice.application(owner.token, schema);
  return { domain, path: `/applications/${domain}/schema` };
}

async function share(domain: string, role: 'reader' | 'editor') {
  const other = await sluice.owner();
  const path = `/applications/${domain}/members/${other.username}`;
  await sluice.request('PUT', path, { token: owner.token, json: { role } });
  return other;
}

const lineOf = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name} `) });
const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Schema', exact: true });
const showJson = (page: Page) => page.getByText('JSON', { exact: true }).click();
const showFields = (page: Page) => page.getByText('Fields', { exact: true }).click();
const barOf = (page: Page) => page.getByRole('region', { name: 'What would change' });
const shownText = async (page: Page) => (await lineOf(page, 'celsius').textContent()) ?? '';

describe('the schema', () => {
  it('is read as a document, with what the entries hold', async () => {
    const { domain, path } = await start();
    const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { json });
    await upload({ email: 'ada@example.com', by: { name: 'Ada' } });
    await upload({ email: 'ada@example.com', celsius: 7 });
    const worker = await startQuestions(sluice.env);
    onTestFinished(() => worker.stop());
    const page = await openAs(sluice, owner, path);
    await lineOf(page, 'email').getByText('100% filled').waitFor();
    const partsOf = async (name: string) =>
      (await lineOf(page, name).locator('span:not(:has(span)), small').allTextContents()).filter(Boolean);
    const email = ['email', 'string', 'email', 'required', '100% filled', 'ada@example.com', 'Who reads it'];
    expect(await partsOf('email')).toEqual(email);
    expect(await partsOf('celsius')).toEqual(['celsius', 'number', 'at most 60', '50% filled', '7']);
    expect(await partsOf('name')).toEqual(['name', 'string', '50% filled', 'Ada']);
    await page.getByText('Weather station').waitFor();
    await page.getByRole('button', { name: 'Fields of /by' }).click();
    expect(await lineOf(page, 'name').count()).toBe(0);
    await expectAccessible(page);
  });

  it('is shown to readers, who cannot change it', async () => {
    const { domain, path } = await start();
    const page = await openAs(sluice, await share(domain, 'reader'), path, {
      viewport: phone,
      colorScheme: 'dark',
    });
    await page.getByText('at most 60').waitFor();
    await page.getByText('Version 1').waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('textbox').count()).toBe(0);
    expect(await main.getByRole('button').allTextContents()).toEqual(['▾']);
    await expectAccessible(page);
    await showJson(page);
    await page.getByText('"maximum": 60', { exact: false }).waitFor();
    expect(await main.getByRole('textbox').count()).toBe(0);
    await expectAccessible(page);
  });
});

describe('a draft of a schema', () => {
  it('is undone and redone step by step, by the form and by hand alike', async () => {
    const { path } = await start();
    const page = await openAs(sluice, owner, path);
    await lineOf(page, 'celsius').click();
    await page.getByLabel('Maximum of /celsius').fill('50');
    await page.getByLabel('Required of /celsius').check();
    await showJson(page);
    await jsonOf(page).click();
    await jsonOf(page).press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.insertText(' "$comment": "x",');
    expect(await jsonOf(page).textContent()).toContain('"$comment": "x"');
    await page.keyboard.press('ControlOrMeta+z');
    await until(async () => !(await jsonOf(page).textContent())?.includes('$comment'));
    await page.keyboard.press('ControlOrMeta+z');
    await showFields(page);
    await until(async () => !(await shownText(page)).includes('required'));
    expect(await shownText(page)).toContain('at most 50');
    await page.getByRole('button', { name: 'Undo' }).click();
    await lineOf(page, 'celsius').getByText('at most 60').waitFor();
    await barOf(page).waitFor({ state: 'detached' });
    for (const _ of [1, 2, 3]) await page.keyboard.press('ControlOrMeta+Shift+z');
    await showJson(page);
    expect(await jsonOf(page).textContent()).toContain('"$comment": "x"');
    expect(await jsonOf(page).textContent()).toContain('"maximum": 50');

    // Another name, not yet in the schema, is undone in its input alone.
    await showFields(page);
    await lineOf(page, 'email').click();
    const name = page.getByLabel('Name of /email');
    await name.press('End');
    await name.pressSequentially('s');
    await name.press('ControlOrMeta+z');
    await until(async () => (await name.inputValue()) === 'email');
    expect(await shownText(page)).toContain('required');
  });

  it('is discarded, and comes back', async () => {
    const { path } = await start();
    const page = await openAs(sluice, owner, path);
    await lineOf(page, 'email').click();
    await page.getByRole('button', { name: 'Remove /email' }).click();
    await lineOf(page, 'email').waitFor({ state: 'detached' });
    await barOf(page).getByRole('button', { name: 'Discard' }).click();
    await lineOf(page, 'email').waitFor();
    await barOf(page).waitFor({ state: 'detached' });
    await page.locator('[aria-label="Undo"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await lineOf(page, 'email').waitFor({ state: 'detached' });
    await barOf(page).getByText('stricter').waitFor();
  });

  it('stays in the browser for the user alone', async () => {
    const { domain, path } = await start();
    const editor = await share(domain, 'editor');
    const page = await openAs(sluice, owner, path);
    const context = page.context();
    const other = await context.newPage();
    await other.goto(path);
    await lineOf(other, 'celsius').getByText('at most 60').waitFor();
    await lineOf(page, 'celsius').click();
    await page.getByLabel('Maximum of /celsius').fill('40');
    await page.getByRole('link', { name: 'Schema unpublished' }).waitFor();
    await lineOf(page, 'celsius').getByText('stricter').waitFor();
    // Open pages show it at once, and another page after all are closed.
    await lineOf(other, 'celsius').getByText('at most 40').waitFor();
    await page.close();
    await other.close();
    const later = await context.newPage();
    await later.goto(path);
    await lineOf(later, 'celsius').getByText('at most 40').waitFor();
    await later.getByText('unpublished').first().waitFor();

    const signIn = ({ username }: { username: string }) =>
      context.request.post('/api/session', {
        data: { username, password: 'correct horse' },
        headers: { origin: sluice.url },
        failOnStatusCode: true,
      });
    await signIn(editor);
    await later.goto(path);
    await lineOf(later, 'celsius').getByText('at most 60').waitFor();
    expect(await later.getByText('unpublished').count()).toBe(0);
    await signIn(owner);
    await later.goto(path);
    await lineOf(later, 'celsius').getByText('at most 40').waitFor();
  });

  it('keeps what is typed while it is published', async () => {
    const { domain, path } = await start();
    const page = await openAs(sluice, owner, path);
    await lineOf(page, 'celsius').click();
    await page.getByLabel('Required of /celsius').check();
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/applications/${domain}/schemas`, async (route) => {
      if (route.request().method() === 'POST') await isHeld;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Maximum of /celsius').fill('30');
    release();
    await page.getByText('Version 2 is in force.').waitFor();
    await page.getByText('Version 2', { exact: true }).waitFor();
    await lineOf(page, 'celsius').getByText('at most 30').waitFor();
    await barOf(page).getByText('1 change, 1 stricter').waitFor();
    const { body } = await sluice.request('GET', `/applications/${domain}`, { token: owner.token });
    expect(body.data.template.schema.properties.celsius).toEqual({ type: 'number', maximum: 60 });
    expect(body.data.template.schema.required).toEqual(['email', 'celsius']);
  });

  it('is made and published by the keyboard alone', async () => {
    const { domain, path } = await start();
    const upload = (json: unknown) => sluice.request('POST', `/applications/${domain}/data`, { json });
    await upload({ email: 'ada@example.com', celsius: 50 });
    const page = await openAs(sluice, owner, path);
    const focused = page.locator(':focus');
    const tabTo = async (name: RegExp) => {
      for (let tabs = 0; tabs < 40; tabs += 1) {
        await page.keyboard.press('Tab');
        const label = (await focused.getAttribute('aria-label')) ?? (await focused.textContent()) ?? '';
        if (name.test(label)) return;
      }
      throw new Error(`Tab does not lead to ${name}`);
    };
    await lineOf(page, 'email').waitFor();
    await tabTo(/^email/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tabTo(/^Maximum of \/celsius/);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('40');
    // Neither this nor another Enter in an input publishes.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await focused.textContent()).toContain('celsius');
    await barOf(page).getByText('1 of the newest 1 entries would be refused').waitFor();
    await tabTo(/^Publish/);
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Publish version 2' });
    await question.getByText('1 of the newest 1 entries would be refused').waitFor();
    expect(await focused.textContent()).toBe('Cancel');
    await tabTo(/^Publish/);
    await page.keyboard.press('Enter');
    await page.getByText('Version 2 is in force.').waitFor();
    await page.locator('[aria-label="Undo"]:focus').waitFor();
    expect(await page.getByRole('link', { name: 'Schema unpublished' }).count()).toBe(0);
    // What was before is a change of the new version.
    await page.keyboard.press('Enter');
    await barOf(page).getByText('1 change, none stricter').waitFor();
  });
});
