import { afterAll, describe, expect, it } from 'vitest';
import { createBrowser } from '../support/oidc-browser.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { startSluice } from '../support/sluice.ts';

const provider = await startProvider();
const sluice = await startSluice({ workers: false, env: provider.env });
afterAll(async () => {
  await sluice.stop();
  provider.stop();
});

const profile = async (token: string | undefined) =>
  (await sluice.request('GET', '/users/me', { token })).body.data;

/** Signs in from the first click to the page in the end. */
async function signIn(login: string, browser = createBrowser(provider), query = '') {
  const answer = await browser.comeBack(await browser.signInThere(await browser.begin(query), login));
  return { browser, answer, location: answer.headers.get('location') };
}

describe('a sign-in through the provider', () => {
  it('makes a user the first time, and finds the same one later', async () => {
    const first = await signIn('ada', undefined, '?return_to=/applications/a?b=c');
    expect([first.answer.status, first.location]).toEqual([303, `${provider.publicUrl}/applications/a?b=c`]);
    const user = await profile(await first.browser.token());
    expect(user.username).toBe('ada');
    const second = await signIn('ada');
    expect(await profile(await second.browser.token())).toEqual(user);
    expect(
      (await sluice.request('GET', '/users', { token: await second.browser.token() })).body.data,
    ).toEqual([user]);
  });
});
