import { signInAnew } from '../../api/browser-session.ts';
import { client, dataOf } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';

/** What is behind the # of a link that `sluice-admin` prints, such as `ada:x3J9…`. Browsers do not send it. */
export function readCode(hash: string): { username: string; code: string } {
  const [username = '', code = ''] = hash.slice(1).split(':');
  return { username, code };
}

/** Uses the code up to set this password, and signs in with it. */
export async function setPassword(
  { username, code }: ReturnType<typeof readCode>,
  password: string,
): Promise<void> {
  const params = { path: { username } };
  const body = { code, new_password: password };
  await dataOf(client.PUT('/api/users/{username}/password', { params, body }));
  await signInAnew({ username, password });
}

/** Whether the link was used, or has expired. */
export const isDead = (error: Error | null) =>
  error instanceof RequestFailure && error.kind === 'InvalidCredentialsError';
