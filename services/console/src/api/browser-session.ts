import { client, dataOf, type Schemas } from './client.ts';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';

/** Tells other tabs what this one did. */
const tabs = new BroadcastChannel('sluice.session');

/** Signs in all tabs of this browser. */
export async function signIn(body: Schemas['Credentials']): Promise<void> {
  const { token } = await dataOf(client.POST('/api/session', { body }));
  session.begin(token);
  tabs.postMessage('begun');
}

/** Takes over the session of this browser, if one is open. Never rejects. */
export async function renew(): Promise<void> {
  try {
    session.begin((await dataOf(client.POST('/api/session/renew'))).token);
  } catch {
    session.end();
  }
}

/** Signs out all tabs of this browser. */
export async function signOut(): Promise<void> {
  await dataOf(client.DELETE('/api/session'));
  session.signOut();
  tabs.postMessage('ended');
}

tabs.onmessage = async ({ data }) => {
  if (data === 'ended') return session.signOut();
  await renew();
  // It may be another user.
  await queryClient.resetQueries();
};
