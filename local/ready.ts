import { get } from 'node:http';
import { until } from './stores/store.ts';

/** `http://host:port` as a browser on this machine can open it. */
export function addressOf(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Resolves once the API at `address` answers that it is ready. */
export function waitUntilReady(address: string, alive: AbortSignal): Promise<void> {
  return until(() => ask(`${address}/api/health/ready`), alive);
}

function ask(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // No agent: an idle connection would make the API wait when it stops.
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`not ready: ${url} answers ${response.statusCode}`));
    });
    request.once('timeout', () => request.destroy(new Error(`not ready: ${url} does not answer`)));
    request.once('error', reject);
  });
}
