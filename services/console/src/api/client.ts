import createClient, { type Middleware } from 'openapi-fetch';
import { words } from '../words/en.ts';
import type { components, paths } from './description.d.ts';
import { ApiFailure, failureOf } from './failure.ts';
import { fetchWithRetry } from './retry.ts';
import { session } from './session.ts';

export type Schemas = components['schemas'];

const authorize: Middleware = {
  onRequest({ request }) {
    const token = session.token();
    if (token) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  async onResponse({ response }) {
    if (response.status !== 401) return;
    const failure = failureOf(
      response,
      await response
        .clone()
        .json()
        .catch(() => undefined),
    );
    // Other errors with this status are about a password or a code.
    if (failure.kind === 'UnauthorizedRequestError') session.end();
  },
  onError: () => new ApiFailure(words.errors.unreachable),
};

/** Calls the API; hand its results to `dataOf`. */
export const client = createClient<paths>({ fetch: fetchWithRetry });
client.use(authorize);

interface Sent<T> {
  data?: { data: T };
  error?: unknown;
  response: Response;
}

/** The data of the answer. Throws ApiFailure. */
export async function dataOf<T>(sent: Promise<Sent<T>>): Promise<T> {
  const { data, error, response } = await sent;
  if (data === undefined) throw failureOf(response, error);
  return data.data;
}
