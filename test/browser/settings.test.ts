import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lastIdBefore } from '@sluice/store/entries/entry-id.ts';
import { MongoClient } from 'mongodb';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { archiveFolder, consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;

beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
  domain = await sluice.application(owner.token);
});

/** The status of an upload with that key. */
async function uploadWith(key: string): Promise<number> {
  const headers = { 'x-api-key': key };
  return (await sluice.request('POST', `/applications/${domain}/data`, { json: {}, headers })).status;
}

describe('the settings of an application', () => {
  it('is by keys, which are shown once, rotated and revoked', async () => {
    const path = `/applications/${domain}/data`;
    for (const body of ['{}', '{}', '1']) await sluice.request('POST', path, { body });
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
    const needed = page.getByRole('switch', { name: 'Uploads need a key' });
    await needed.click();
    const asked = page.getByRole('dialog', { name: 'Uploads need a key' });
    await asked.getByText('3 uploads in the last hour came without a valid key').waitFor();
    await asked.getByText('There is no key yet: all uploads will be refused').waitFor();
    await expectAccessible(page);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await needed.isChecked()).toBe(false);
    expect(await uploadWith('')).toBe(201);
    await needed.click();
    await asked.getByText('4 uploads in the last hour').waitFor();
    await asked.getByRole('button', { name: 'Refuse uploads without a key' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByLabel('Name of the new key').fill('Roof');
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByLabel('Key', { exact: true });
    const first = await shown.inputValue();
    expect(first).toMatch(/^sk_/);
    await page.getByText(`X-Api-Key: ${first}`).waitFor();
    await until(async () => (await uploadWith('sk_wrong')) === 403);
    expect(await uploadWith(first)).toBe(201);
    await expectAccessible(page);

    await page.reload();
    const card = page.getByRole('listitem').filter({ hasText: 'Roof' });
    await card.getByText('1 entry, 0 refused in 24 hours').waitFor();
    await card.getByText('no rate · does not expire').waitFor();
    await page.getByRole('button', { name: 'Edit key Roof' }).click();
    await card.getByRole('textbox', { name: 'Name' }).fill('Roof sensor');
    await page.getByLabel('Entries at most').fill('2');
    await page.getByLabel('In so many seconds').fill('604800');
    await page.getByLabel('Expires').fill('2020-01-31T10:30:00');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save key' }).click();
    await page.getByText('must be in the future').waitFor();
    await page.getByLabel('Expires').fill('2126-01-31T10:30:00');
    await page.getByRole('button', { name: 'Save key' }).click();
    await card.getByText('at most 2 entries in 604,800 s · expires 2126-01-31 10:30:00').waitFor();
    await until(async () => (await uploadWith(first)) === 429);
    await page.getByRole('button', { name: 'Edit key Roof sensor' }).click();
    await page.getByLabel('Entries at most').fill('');
    await page.getByLabel('Expires').fill('');
    await page.getByRole('button', { name: 'Save key' }).click();
    await card.getByText('no rate · does not expire').waitFor();
    await until(async () => (await uploadWith(first)) === 201);
    await card.getByText('last used').waitFor();

    await page.getByRole('button', { name: 'Rotate key Roof' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
    await until(async () => (await shown.inputValue()) !== first);
    const second = await shown.inputValue();
    await until(async () => (await uploadWith(first)) === 403);
    expect(await uploadWith(second)).toBe(201);

    await page.reload();
    await page.getByRole('listitem').getByText('Roof').waitFor();
    await needed.click();
    await page.getByText('Saved').waitFor();
    await needed.click();
    // What came with a key is not counted.
    await asked.getByText('4 uploads in the last hour came without a valid key').waitFor();
    await asked.getByText('Uploads without one will be refused').waitFor();
    await asked.getByRole('button', { name: 'Refuse uploads without a key' }).click();
    await until(async () => (await uploadWith('')) === 403);
    await page.getByRole('listitem').getByText(`by ${owner.username}`).waitFor();
    expect(await shown.count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke key Roof' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('listitem').getByText('Roof').waitFor({ state: 'detached' });
    await until(async () => (await uploadWith(second)) === 403);
  });

  it('is limited to origins and days, which the API checks', async () => {
    const page = await openAs(sluice, owner, `/applications/${domain}/settings`, {
      viewport: phone,
      colorScheme: 'dark',
    });
    const origins = page.getByRole('combobox', { name: 'Allowed origins' });
    await origins.fill('https://example.com/path');
    await page.getByRole('button', { name: 'Save origins' }).click();
    await page
      .getByRole('alert')
      .getByText(/must be an origin/)
      .first()
      .waitFor();
    await origins.press('Backspace');
    await origins.fill('https://example.com');
    await page.getByRole('button', { name: 'Save origins' }).click();
    await page.getByText('Saved').waitFor();
    await sluice.request('POST', `/applications/${domain}/data`, { json: {} });
    await page.getByLabel('Days to keep entries').fill('30');
    await page.getByText('No entry is that old.').waitFor();
    await page.getByRole('button', { name: 'Save retention' }).click();
    await page.getByText('Entries older than 30 days are deleted').waitFor();
    await page.getByRole('button', { name: 'Save and delete' }).click();
    const settings = async () => {
      const { body } = await sluice.request('GET', `/applications/${domain}`, { token: owner.token });
      return [body.data.allowed_origins, body.data.retention_days];
    };
    await until(async () => (await settings())[1] === 30);
    expect(await settings()).toEqual([['https://example.com'], 30]);
    await expectAccessible(page);
  });

  it('lets older entries stay in an archive only, and says where they are', async () => {
    const own = await sluice.application(owner.token);
    const path = `/applications/${own}`;
    onTestFinished(() => rmSync(join(archiveFolder, own), { recursive: true, force: true }));
    await sluice.request('POST', `${path}/data`, { json: {} });
    const json = { name: 'Lake', to: { kind: 'folder' }, format: 'ndjson', every: '1h', from: 'beginning' };
    const { token } = owner;
    const { id } = (await sluice.request('POST', `${path}/archives`, { token, json })).body.data;
    const page = await openAs(sluice, owner, `${path}/settings`);
    await page.getByText('Entries that are older are deleted').waitFor();
    await page.getByLabel('Older entries').selectOption('are in the archive Lake only');
    await page.getByText('Older entries go once all archives have them').waitFor();
    await page.getByLabel('Days to keep entries').fill('30');
    await page.getByRole('button', { name: 'Save retention' }).click();
    await page.getByText('Entries older than 30 days go once all archives have them: 0 now').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await sluice.request('GET', path, { token })).body.data.archive === id);

    const client = await MongoClient.connect(sluice.env.MONGODB_URL as string);
    const applications = client.db().collection('applications');
    const archivedUntil = lastIdBefore(new Date('2026-11-01T00:00:00Z'));
    await applications.updateOne({ domain: own }, { $set: { archivedUntil } });
    await client.close();
    await page.reload();
    await page.getByText(/^Entries before .* are in the archive only, so it cannot change/).waitFor();
    expect(await page.getByLabel('Older entries').isDisabled()).toBe(true);
    await page.goto(`${sluice.url}${path}`);
    await page.getByText(/^Entries before .* may be in the archive only: exports have them/).waitFor();
    await expectAccessible(page);
  });

  it('names a unique member, after it was counted what that would have repeated', async () => {
    const schema = { type: 'object', properties: { id: { type: 'string' }, n: {} }, required: ['id'] };
    const own = await sluice.application(owner.token, schema);
    for (const id of ['a', 'a', 'b'])
      await sluice.request('POST', `/applications/${own}/data`, { json: { id } });
    const page = await openAs(sluice, owner, `/applications/${own}/settings`);
    await page.getByLabel('Path of the member').fill('/n');
    await page.getByRole('button', { name: 'Save member' }).click();
    await page.getByText('/n is not required by the schema').waitFor();
    await page.getByLabel('Path of the member').fill('/id');
    await page.getByRole('button', { name: 'Count repetitions' }).click();
    await page.getByText('Of 3 entries, 1 would have been repetitions').waitFor();
    await page.getByLabel('Days until a value is free again').fill('30');
    await page.getByRole('button', { name: 'Save member' }).click();
    await page.getByText('Saved').waitFor();
    const { body } = await sluice.request('GET', `/applications/${own}`, { token: owner.token });
    expect(body.data.unique).toEqual({ path: '/id', days: 30 });
    await expectAccessible(page);
  });

  it('ends with the application, which can be restored', async () => {
    const other = await sluice.application(owner.token);
    const page = await openAs(sluice, owner, `/applications/${other}/settings`);
    const remove = page.getByRole('button', { name: 'Delete application' });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${other} to confirm`).fill(other);
    await remove.click();
    await page.getByText(/you can restore it until/).waitFor();
    await page.getByRole('link', { name: 'Deleted applications' }).click();
    await expectAccessible(page);
    await page.getByRole('listitem').filter({ hasText: other }).getByRole('button').click();
    await page.waitForURL(`**/applications/${other}/**`);
  });
});
