import { CliError } from '../cli-error.ts';
import { harmless } from '../terminal.ts';
import { type Answer, ApiFailure, noApi, readAnswer, readText } from './answer.ts';
import { NoAnswer } from './no-answer.ts';

export type Query = Record<string, string | number | boolean | undefined>;

/** An answer that takes longer counts as none. */
const answerMs = 60_000;

export interface Request {
  query?: Query;
  /** Becomes the body. */
  json?: unknown;
  body?: Uint8Array | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
  /** Ends the request, besides Ctrl-C. */
  signal?: AbortSignal;
}

/** Calls the API of one server. Failures are ApiFailure or NoAnswer. `check` may throw before a request. */
export function createApi(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
  check: () => void = () => {},
) {
  /** A response that is no failure. Its body is not read yet. */
  async function open(method: string, path: string, request: Request = {}): Promise<Response> {
    const response = await send(method, path, request);
    if (!response.ok) throw new ApiFailure(response, await readText(response));
    if (response.headers.get('content-type')?.startsWith('text/html')) throw noApi(url);
    return response;
  }

  async function send(
    method: string,
    path: string,
    { query = {}, json, body, headers, signal: own }: Request,
  ): Promise<Response> {
    check();
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
    const init = {
      method,
      // The token and the body go to no other address.
      redirect: 'manual' as const,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      // A body that is made while it is sent.
      ...(body && { body: body as never, duplex: 'half' as const }),
      signal: own ? AbortSignal.any([signal, own]) : signal,
    };
    const response = await fetch(`${url}/api${path}${search}`, init).catch((error) => {
      signal.throwIfAborted();
      throw new NoAnswer(url, error);
    });
    const { status, headers: answered } = response;
    if (status < 300 || status > 399 || status === 304) return response;
    throw new CliError(
      `${url} redirects to ${harmless(answered.get('location') ?? '')}: give the address of Sluice as --url`,
    );
  }

  async function ask<T>(method: string, path: string, request: Request = {}): Promise<Answer<T>> {
    const response = await send(method, path, { ...request, signal: AbortSignal.timeout(answerMs) });
    try {
      return await readAnswer<T>(response);
    } catch (error) {
      signal.throwIfAborted();
      // The connection broke within the answer.
      throw error instanceof TypeError || (error as Error).name === 'TimeoutError'
        ? new NoAnswer(url, error as Error)
        : error;
    }
  }

  return { url, token, signal, open, ask };
}

export type Api = ReturnType<typeof createApi>;
