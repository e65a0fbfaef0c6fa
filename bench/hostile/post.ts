import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

interface Post {
  body: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

const agent = new Agent({ keepAlive: true });

/** Sends JSON. Rejects if the connection breaks before the end of the answer. */
export function post(
  url: string,
  { body, headers, signal }: Post,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent,
      method: 'POST',
      signal,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    asked.once('error', reject);
    asked.once('response', (response) =>
      text(response).then((all) => resolve({ status: response.statusCode as number, text: all }), reject),
    );
    asked.end(body);
  });
}
