import { firstCode } from '@sluice/api/accounts/first-code.ts';
import { connectStore } from '@sluice/jobs/connect.ts';

interface Installation {
  address: string;
  mongodbUrl: string;
  /** The first secret signs tokens. */
  jwtSecrets: string;
}

/** A link to the console for the first user; undefined if a user exists. No log has the code, which follows a #. */
export async function firstLink({
  address,
  mongodbUrl,
  jwtSecrets,
}: Installation): Promise<string | undefined> {
  const store = connectStore({ url: mongodbUrl, timeoutMs: 10_000 }, 'sluice-start', 'impatient');
  try {
    const [secret = ''] = jwtSecrets.split(',');
    return (await store.users.isEmpty()) ? `${address}/welcome#${firstCode(secret.trim())}` : undefined;
  } finally {
    await store.close();
  }
}
