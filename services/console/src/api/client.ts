import { queryOptions } from '@tanstack/react-query';
import createClient, { type Middleware } from 'openapi-fetch';
import { words } from '../words/en.ts';
import type { components, paths } from './description.d.ts';
import { failureOf, RequestFailure } from './failure.ts';
import { fetchWithRetry } from './retry.ts';
import { session } from './session.ts';
import { noteSlow } from './slow.ts';

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
  onError: () => new RequestFailure(words.errors.unreachable),
};

/** Calls the API; hand its results to `dataOf`. */
export const client = createClient<paths>({ fetch: (request) => noteSlow(request, fetchWithRetry(request)) });
client.use(authorize);

interface Sent<T> {
  data?: { data: T };
  error?: unknown;
  response: Response;
}

/** The data of the answer. Throws RequestFailure. */
export async function dataOf<T>(sent: Promise<Sent<T>>): Promise<T> {
  const { data, error, response } = await sent;
  if (data === undefined) throw failureOf(response, error);
  return data.data;
}

type DataOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer T } } } } };
}
  ? T
  : never;

type Readable = { [P in keyof paths]: DataOf<P> extends never ? never : P }[keyof paths];
type Params<P extends Readable> = NonNullable<paths[P]['get']>['parameters'];

/** A query of a path of the API. */
export const read = <P extends Readable>(path: P, params: Params<P>) =>
  queryOptions({
    queryKey: [path, params],
    queryFn: ({ signal }): Promise<DataOf<P>> => {
      // The types of the client do not follow a path that is a type parameter.
      const get = client.GET as (path: P, init: object) => Promise<Sent<DataOf<P>>>;
      return dataOf(get(path, { params, signal }));
    },
  });
