import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, it } from 'vitest';
import { createReceiver } from '../support/receiver.ts';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

it('creates a webhook, shows what was delivered, and tells when Sluice gave it up', async () => {
  const owner = await sluice.owner();
  const domain = await sluice.application(owner.token);
  const receiver = await createReceiver();
  const page = await openAs(sluice, owner, `/applications/${domain}/settings`);
  const drawer = page.getByRole('dialog', { name: receiver.url });
  const click = (name: string) => page.getByRole('button', { name: `${name} ${receiver.url}` }).click();
  const leave = async () => {
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
  };

  await page.getByText('New webhook').click();
  await page.getByLabel('URL').fill('http://10.0.0.1/hook');
  await page.getByLabel('Many uploads are refused').check();
  await page.getByLabel('Within minutes').fill('3');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText(/has the private address 10.0.0.1/).waitFor();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const secret = page.getByLabel('Secret', { exact: true });
  const first = new Webhook(await secret.inputValue());
  await page.getByText('A receiver in Python').click();
  await page.getByText('import base64').waitFor();
  await expectAccessible(page);

  await click('Ping');
  await drawer.getByRole('row').filter({ hasText: 'ping' }).getByText('Delivered').waitFor();
  await drawer.getByText('Show', { exact: true }).click();
  await drawer.getByText('ok', { exact: true }).waitFor();
  await drawer.getByRole('row').getByRole('button', { name: 'Redeliver' }).click();
  await until(async () => receiver.of('ping').length === 2);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])[1]).toBe(
    receiver.received[0]?.headers['webhook-id'],
  );
  await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 1 } });
  await drawer.getByText('entries.stored').waitFor();
  await until(async () => receiver.of('entries.stored').length === 1);
  await drawer.getByLabel('Redeliver everything since').fill('2026-01-01T00:00');
  await drawer.locator('form').getByRole('button', { name: 'Redeliver' }).click();
  await until(async () => receiver.of('entries.stored').length === 2);
  await expectAccessible(page);
  await leave();

  const before = await secret.inputValue();
  await click('Rotate');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
  await until(async () => (await secret.inputValue()) !== before);
  await click('Edit');
  const form = page.getByRole('listitem').locator('form');
  expect(await form.getByLabel('URL').inputValue()).toBe(receiver.url);
  await form.getByLabel('An export fails').check();
  await form.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByRole('listitem').getByText('export.failed').waitFor();
  await page.getByRole('listitem').getByText(`by ${owner.username}`).waitFor();
  await form.waitFor({ state: 'detached' });
  await click('Pause');
  await page.getByText('Paused').waitFor();
  await click('Activate');
  receiver.answer((response) => response.writeHead(500).end());
  await click('Ping');
  await leave();
  await page.getByText(/^Failing, next try/).waitFor();
  await expectAccessible(page);
  receiver.answer((response) => response.writeHead(410).end());
  const badge = page.getByRole('navigation').getByRole('link', { name: 'Settings Webhook off' });
  await badge.waitFor();
  await page.getByText(/410/).first().waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  receiver.answer((response) => response.end());
  await click('Activate');
  await badge.waitFor({ state: 'detached' });
  const { headers, body } = receiver.received.at(-1) ?? {};
  expect(first.verify(body ?? '', headers as Record<string, string>)).toMatchObject({ type: 'ping' });
  await click('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText(receiver.url).waitFor({ state: 'detached' });
});
