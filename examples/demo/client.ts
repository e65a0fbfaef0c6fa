import { DemoError } from './demo-error.ts';

export interface Refusal {
  status: number;
  name: string;
  message: string;
  details: { path: string; message: string }[];
}
export type Answer<T> = { ok: true; data: T } | { ok: false; refusal: Refusal };

export interface Call {
  /** A value that is sent as JSON, or a file with its type. */
  body?: unknown;
  token?: string;
}

export type Client = ReturnType<typeof createClient>;

/** Calls the API at `url`. Throws DemoError if Sluice does not answer. */
export function createClient(url: string) {
  async function send(method: string, path: string, { body, token }: Call = {}): Promise<Response> {
    const isJson = body !== undefined && !(body instanceof Blob);
    const headers = {
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const sent = isJson ? JSON.stringify(body) : (body as Blob | undefined);
    const init = { method, headers, ...(sent !== undefined && { body: sent }) };
    return fetch(`${url}/api${path}`, init).catch((error) => {
      throw unreachable(url, error);
    });
  }

  /** Sends a request. A refusal is a value, not an error. */
  async function ask<T>(method: string, path: string, call?: Call): Promise<Answer<T>> {
    const response = await send(method, path, call);
    if (response.ok) return { ok: true, data: (await read(response)).data as T };
    return { ok: false, refusal: await readRefusal(response) };
  }

  /** Sends a request that must succeed. */
  async function need<T>(method: string, path: string, call?: Call): Promise<T> {
    const answer = await ask<T>(method, path, call);
    if (answer.ok) return answer.data;
    throw new DemoError(`${method} ${url}/api${path}: ${inOneLine(answer.refusal)}`);
  }

  /** Streams a file of the API. */
  async function download(path: string, token: string): Promise<ReadableStream<Uint8Array>> {
    const response = await send('GET', path, { token });
    if (response.ok && response.body) return response.body;
    throw new DemoError(`GET ${url}/api${path}: ${inOneLine(await readRefusal(response))}`);
  }

  async function readRefusal(response: Response): Promise<Refusal> {
    const { error } = await read(response);
    return { name: 'Error', message: '', details: [], ...(error as object), status: response.status };
  }

  async function read(response: Response): Promise<{ data?: unknown; error?: unknown }> {
    const text = await response.text().catch((error) => {
      throw unreachable(url, error);
    });
    try {
      const envelope = JSON.parse(text);
      if (typeof envelope.success === 'boolean') return envelope;
    } catch {}
    throw new DemoError(
      `what answers at ${url} is not Sluice (status ${response.status}); give its address with --url`,
    );
  }

  return { url, ask, need, download };
}

export function inOneLine({ status, name, message, details }: Refusal): string {
  const reasons = details.map((detail) => `${detail.path || 'the record'} ${detail.message}`).join('; ');
  return `${status} ${name}: ${message}${reasons && ` (${reasons})`}`;
}

function unreachable(url: string, error: Error): DemoError {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  const hint = code === 'ECONNREFUSED' ? ': start Sluice with npm start, or give its address with --url' : '';
  return new DemoError(`no answer from ${url} (${code ?? message})${hint}`);
}
