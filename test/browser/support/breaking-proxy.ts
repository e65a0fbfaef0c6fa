import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a proxy that breaks the first answer to a path with this end, after so many bytes. Returns its address. */
export async function startBreakingProxy(target: string, end: string, bytes: number): Promise<string> {
  let isBroken = false;
  const server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked;
    const upstream = request(`${target}${url}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      if (isBroken || !url.endsWith(end)) return response.pipe(answer);
      isBroken = true;
      let left = bytes;
      response.on('data', (chunk: Buffer) => {
        if (left <= 0) return;
        answer.write(chunk.subarray(0, left), () => left <= 0 && answer.destroy());
        left -= chunk.length;
      });
    });
    answer.on('close', () => upstream.destroy());
    upstream.on('error', () => answer.destroy());
    asked.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
