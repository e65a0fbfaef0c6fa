import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { percentile } from './statistics.ts';

export interface Pace {
  url: string;
  /** File with the body. */
  body: string;
  connections: number;
  /** Requests per second on all connections. */
  rate: number;
  seconds: number;
}

/** Times in milliseconds. */
export interface Paced {
  asked: number;
  reached: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Failed connections and time-outs. */
  broken: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

const most = 64;

/**
 * Sends requests at a constant rate.
 *
 * autocannon sends the requests of a second at once, then pauses. Up to 64 of them start evenly over a second.
 */
export async function atConstantRate({ url, body, connections, rate, seconds }: Pace): Promise<Paced> {
  const guns = Math.min(most, connections, Math.floor(rate));
  const shared: autocannon.Options = {
    url,
    method: 'POST',
    body: readFileSync(body),
    headers: { 'content-type': 'application/json' },
    duration: seconds,
    timeout: 30,
  };
  const runs = await Promise.all(
    Array.from({ length: guns }, async (_, i) => {
      await pause((i * 1_000) / guns);
      const [own, overallRate] = [share(connections, guns, i), share(Math.floor(rate), guns, i)];
      const { result, times } = await shoot({ ...shared, connections: own, overallRate });
      return { result, times: withOmitted(times, (1_000 * own) / overallRate) };
    }),
  );
  const sorted = Float64Array.from(runs.flatMap(({ times }) => times)).sort();
  const statuses: Record<string, number> = {};
  for (const { result } of runs)
    for (const [status, { count = 0 }] of Object.entries(result.statusCodeStats ?? {}))
      statuses[status] = (statuses[status] ?? 0) + count;
  return {
    asked: Math.floor(rate),
    reached: runs.reduce((sum, { result }) => sum + result['2xx'] / result.duration, 0),
    statuses,
    broken: runs.reduce((sum, { result }) => sum + result.errors, 0),
    p50: percentile(sorted, 50),
    p99: percentile(sorted, 99),
    p999: percentile(sorted, 99.9),
    max: sorted.at(-1) ?? Number.NaN,
  };
}

const share = (of: number, among: number, i: number) => Math.floor(of / among) + (i < of % among ? 1 : 0);

function shoot(options: autocannon.Options): Promise<{ result: autocannon.Result; times: number[] }> {
  const times: number[] = [];
  return new Promise((resolve, reject) => {
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve({ result, times })));
    run.on('response', (_client, _status, _bytes, took) => times.push(took));
  });
}

/**
 * Corrects coordinated omission: adds the times of requests that a slow request kept from being sent.
 * autocannon's own correction expects one request every millisecond.
 */
function withOmitted(times: number[], intervalMs: number): number[] {
  const all: number[] = [];
  for (const time of times) for (let left = time; left > 0; left -= intervalMs) all.push(left);
  return all;
}
