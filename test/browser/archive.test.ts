import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readLake } from '../support/lake.ts';
import { type SharedSluice, storeOf } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { archiveFolder, consoleSluice } from './support/console-sluice.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
beforeAll(async () => {
  sluice = await consoleSluice();
});

it('creates an archive, shows its runs and how to read it, pauses, resumes and deletes it', async () => {
  const owner = await sluice.owner();
  const domain = await sluice.application(owner.token);
  const place = `ARCHIVE_FOLDER/${domain}`;
  const files = join(archiveFolder, domain);
  onTestFinished(() => rmSync(files, { recursive: true, force: true }));
  const upload = (count: number) =>
    sluice.request('POST', `/applications/${domain}/data/batch`, {
      json: Array.from({ length: count }, (_, n) => ({ n })),
    });
  await upload(30);
  const page = await openAs(sluice, owner, `/applications/${domain}/archive`);
  const act = (name: string) => page.getByRole('button', { name: `${name}: ${place}` });

  await page.getByText('No archives yet').waitFor();
  await page.getByRole('button', { name: 'New archive' }).click();
  await page.getByRole('textbox', { name: 'Bucket' }).fill('lake');
  await page.getByLabel('Access key id').fill('key');
  await page.getByLabel('Secret access key').fill('a-secret-that-nobody-sees');
  await page.getByText('More options').click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create archive' }).click();
  await page.getByText(/s3 is not possible here: the operator can set SECRETS_KEY/).waitFor();
  await page.getByLabel('Where the files go').selectOption('folder');
  await page.getByLabel('Runs', { exact: true }).selectOption('15m');
  await page.getByLabel('How an entry came').check();
  await page.getByRole('button', { name: 'Create archive' }).click();

  await page.getByText(/^30 entries, \d+ bytes\. The files have the entries from the beginning/).waitFor();
  await page.getByText('Last run: 30 entries in 1 file').waitFor();
  await page.getByText(/Next run: in 1[45] minutes, then every 15 minutes/).waitFor();
  await upload(12);
  await page.getByText(/An entry has waited \d+ s for the next run/).waitFor();
  await act('Run now').click();
  await page.getByText('The run begins within seconds.').waitFor();
  await act('Runs').click();
  const runs = page.getByRole('dialog');
  await runs.getByRole('row', { name: /Completed 12 1 \d+ bytes 0 took/ }).waitFor();
  await runs.getByRole('row', { name: /Completed 30 1 \d+ bytes 0 took/ }).waitFor();
  await expectAccessible(page);
  await runs.getByRole('button', { name: 'Close' }).click();
  await page.getByText('No entry waits for the next run.').waitFor();
  expect(await readLake(files)).toHaveLength(42);

  await act('Read the files').click();
  await page.getByText(`FROM read_parquet('${domain}/date=*/*.parquet'`).first().waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await act('Pause').click();
  await page.getByText('Next run: none until you resume the archive').waitFor();
  expect(await act('Run now').count()).toBe(0);
  await act('Resume').click();
  await act('Run now').waitFor();
  await act('Delete').click();
  const dialog = page.getByRole('dialog', { name: `Delete: ${place}` });
  await dialog.getByText(`The files stay in ${place}`).waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No archives yet').waitFor();
  expect(await readLake(files)).toHaveLength(42);
});

it('says why a bucket fails, takes a new key for it, and shows editors what they may read', async () => {
  const [owner, editor] = [await sluice.owner(), await sluice.owner()];
  const domain = await sluice.application(owner.token);
  const { applications, archives } = storeOf(sluice);
  const application = await applications.byDomain(domain);
  // The workers cannot open its secret either.
  const to = {
    kind: 's3',
    bucket: 'lake',
    prefix: 'some/place',
    accessKeyId: 'old',
    secret: 'sealed',
  } as const;
  const covers = { announced: 0 };
  const usual = { format: 'parquet', every: '1h', from: 'beginning' } as const;
  await archives.create(application?.id ?? '', { to, ...usual, covers, createdBy: owner.username }, 1);
  const place = `s3://lake/some/place/${domain}`;
  const page = await openAs(sluice, owner, `/applications/${domain}/archive`);
  const alert = page.getByRole('listitem').getByRole('alert');
  await alert.getByText('Sluice tries the run again within 5 minutes.').waitFor();
  await page.getByRole('button', { name: `Runs: ${place}` }).click();
  const why = page
    .getByRole('row', { name: /Failed/ })
    .getByRole('cell')
    .last();
  expect(await alert.textContent()).toContain(await why.textContent());
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: `New key: ${place}` }).click();
  expect(await page.getByLabel('Access key id').inputValue()).toBe('old');
  await page.getByLabel('Secret access key').fill('a-secret-that-nobody-sees');
  await page.getByRole('button', { name: 'Save key' }).click();
  const refused = page.locator('form').getByRole('alert');
  await refused
    .getByText(/the operator can set SECRETS_KEY/)
    .first()
    .waitFor();
  await expectAccessible(page);

  const { token } = owner;
  const member = `/applications/${domain}/members/${editor.username}`;
  await sluice.request('PUT', member, { token, json: { role: 'editor' } });
  const other = await openAs(sluice, editor, `/applications/${domain}/archive`);
  await other.getByRole('button', { name: `Read the files: ${place}` }).click();
  await other.getByRole('tab', { name: 'Spark' }).click();
  await other.getByText(`"s3a://lake/some/place/${domain}/date=*/*.parquet"`).waitFor();
  const ofOwners = /^(Run now|Pause|New key|Delete|New archive)/;
  expect(await other.getByRole('button', { name: ofOwners }).count()).toBe(0);
});
