import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { untilTaken } from './sluice.ts';

/** A fixed number of connections that are kept open, as busy clients hold them. */
export function createConnections(url: string, count: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: count });

  function postOnce(
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sending = request(`${url}${path}`, {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      });
      sending.on('error', reject).on('response', (response) => {
        const { statusCode = 0 } = response;
        text(response).then((answer) => resolve({ status: statusCode, text: answer }), reject);
      });
      sending.end(body);
    });
  }

  return {
    /** Rejects when the connection ends before the answer. */
    post: (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
      untilTaken(() => postOnce(path, body, headers)),

    /** Keeps every connection busy with `work`, until it says that there is no more. */
    async keepBusy(work: () => Promise<'more' | 'enough'>): Promise<void> {
      const loops = Array.from({ length: count }, async () => {
        while ((await work()) === 'more');
      });
      await Promise.all(loops);
    },

    close: () => agent.destroy(),
  };
}
