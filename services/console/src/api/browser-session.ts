import { client, dataOf, type Schemas } from './client.ts';
import { needsCode } from './failure.ts';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';

/** Tells other tabs what this one did. */
const tabs = new BroadcastChannel('sluice.session');

/** Whether this tab is away to sign in through a provider. */
const awayKey = 'sluice.signs-in';
export const leaveToSignIn = () => sessionStorage.setItem(awayKey, 'yes');

const begin = ({ token, second_factor_missing }: Schemas['SessionToken']) =>
  session.begin(token, second_factor_missing);

/** Signs in all tabs of this browser. */
export async function signIn(body: Schemas['Credentials']): Promise<void> {
  begin(await dataOf(client.POST('/api/session', { body })));
  tabs.postMessage('begun');
}

/** Takes over the session of this browser, if one is open. Never rejects. */
export async function renew(): Promise<void> {
  try {
    begin(await dataOf(client.POST('/api/session/renew')));
    if (sessionStorage.getItem(awayKey)) tabs.postMessage('begun');
  } catch {
    session.end();
  }
  sessionStorage.removeItem(awayKey);
}

/** Tells all tabs what the session may do now. */
export async function renewAll(): Promise<void> {
  await renew();
  tabs.postMessage('begun');
}

/** Signs in with a password that was just set. Whoever has a second factor is led to the sign-in page. */
export async function signInAnew(body: Schemas['Credentials']): Promise<void> {
  try {
    await signIn(body);
  } catch (error) {
    if (!needsCode(error)) throw error;
    session.end();
  }
}

/** Signs out all tabs of this browser, and at the provider if the user signed in there. */
export async function signOut(): Promise<void> {
  const { url } = await dataOf(client.DELETE('/api/session'));
  session.signOut();
  tabs.postMessage('ended');
  if (url) location.assign(url);
}

tabs.onmessage = async ({ data }) => {
  if (data === 'ended') return session.signOut();
  await renew();
  // It may be another user.
  await queryClient.resetQueries();
};
