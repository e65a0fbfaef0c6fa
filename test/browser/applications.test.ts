import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedSluice, until } from '../support/sluice.ts';
import { expectAccessible } from './support/axe.ts';
import { consoleSluice } from './support/console-sluice.ts';
import { phone } from './support/open-page.ts';
import { openAs } from './support/sign-in.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
beforeAll(async () => {
  sluice = await consoleSluice();
  owner = await sluice.owner();
});

describe('the list of applications', () => {
  it('says how much each has, and leads to what was refused', async () => {
    const empty = await sluice.application(owner.token);
    const schema = { type: 'object', properties: { celsius: { type: 'number' } } };
    const domain = await sluice.application(owner.token, schema);
    for (const celsius of [1, 2, 'warm'])
      await sluice.request('POST', `/applications/${domain}/data`, { json: { celsius } });
    const { token } = owner;
    await until(async () => {
      const { body } = await sluice.request('GET', `/applications/${domain}`, { token });
      return body.data.refused_24h === 1;
    });
    const page = await openAs(sluice, owner, '/applications');
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('cell');
    await rowOf(domain).first().waitFor();
    expect((await rowOf(domain).allTextContents()).slice(1)).toEqual([
      '2',
      '1',
      expect.stringMatching(/now|seconds? ago/),
      domain,
    ]);
    expect((await rowOf(empty).allTextContents()).slice(1)).toEqual(['0', '0', 'None yet', empty]);
    await expectAccessible(page);
    await rowOf(domain).getByRole('link', { name: '1', exact: true }).click();
    await page.getByText('must be number').waitFor();
  });

  it('is read on a phone', async () => {
    await sluice.application(owner.token);
    const page = await openAs(sluice, owner, '/applications', { viewport: phone, colorScheme: 'dark' });
    await page.getByRole('row').nth(1).waitFor();
    await expectAccessible(page);
  });
});
