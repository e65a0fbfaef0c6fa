import { get } from 'node:http';
import { until } from './stores/store.ts';

/** The `http://host:port` for a browser on this machine. */
export function addressOf(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Resolves when the API at `address` is ready. */
export function waitUntilReady(address: string, alive: AbortSignal): Promise<void> {
  return until(() => ask(`${address}/api/health/ready`), alive);
}

function ask(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // An agent would keep an idle connection, for which the API would wait when it stops.
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`not ready: ${url} answers ${response.statusCode}`));
    });
    request.once('timeout', () => request.destroy(new Error(`not ready: ${url} does not answer`)));
    request.once('error', reject);
  });
}
