import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Question {
  url: string;
  token: string;
  method?: 'GET' | 'HEAD';
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request on a keep-alive connection. Resolves with the time to the last byte, and rejects unless it is a 200. */
export async function askInTime({ url, token, method = 'GET' }: Question) {
  const began = performance.now();
  const asked = request(url, { agent, method, headers: { authorization: `Bearer ${token}` } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(response);
  const ms = performance.now() - began;
  if (response.statusCode !== 200)
    throw new Error(`${method} ${url} answers ${response.statusCode}: ${body.slice(0, 300)}`);
  return { ms, body };
}
