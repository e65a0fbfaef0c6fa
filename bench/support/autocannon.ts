import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import autocannon from 'autocannon';
import type { Generator, Hits } from './generator.ts';

const { version } = createRequire(import.meta.url)('autocannon/package.json') as { version: string };
export const autocannonName = `autocannon ${version}`;

const timeoutSeconds = 30;

/** Runs in this process, which is idle otherwise. Its latencies are whole milliseconds. */
export function autocannonGenerator(): Generator {
  return {
    name: autocannonName,
    async shoot({
      url,
      paths,
      mixed,
      body,
      inLines = false,
      contentType = 'application/json',
      connections,
      seconds,
    }): Promise<Hits> {
      const bodies = [readFileSync(body), ...(mixed ? [readFileSync(mixed.body)] : [])];
      let sum = 0;
      const inParts: autocannon.Request = {
        setupRequest(request) {
          sum = (sum % 100) + (mixed?.percent ?? 0);
          return { ...request, body: bodies[sum < 100 ? 0 : 1] as Buffer };
        },
      };
      const linesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n');
      const all = paths ? linesOf(paths) : [new URL(url).pathname];
      const lines = inLines ? linesOf(body) : bodies;
      // Each run begins elsewhere, so that short ones also reach the last request.
      let turn = Math.floor(Math.random() * Math.max(all.length, lines.length));
      const inTurn: autocannon.Request = {
        setupRequest(request) {
          turn += 1;
          return { ...request, path: all[turn % all.length], body: lines[turn % lines.length] as string };
        },
      };
      const result = await autocannon({
        url,
        method: 'POST',
        body: bodies[0] as Buffer,
        headers: { 'content-type': contentType },
        connections,
        duration: seconds,
        timeout: timeoutSeconds,
        ...((paths || inLines) && { requests: [inTurn] }),
        ...(mixed && { requests: [inParts] }),
      });
      const { latency, duration, errors, non2xx } = result;
      return {
        seconds: duration,
        answers: result['2xx'] + non2xx,
        refused: non2xx,
        broken: errors,
        p50: latency.p50,
        p99: latency.p99,
        max: latency.max,
      };
    },
  };
}
