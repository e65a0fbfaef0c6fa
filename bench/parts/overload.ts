import { autocannonName } from '../support/autocannon.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { measure } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, table } from '../support/table.ts';

const crowd = 2_000;
const probe = { connections: 20, rate: 100 };
const allowed = ['201', '429', '503'];

/**
 * Two thousand connections send their next request at once, and a few clients check each answer.
 * Only success, 429 and 503 are allowed.
 */
export async function overload(bench: Bench): Promise<Section> {
  const body = bench.write('payload.json', payloadOf(1_024));
  const { uploads, memory } = await startSluice(bench, { database: 'bench_overload', schema: schemaOf() });
  const { url } = uploads;
  const { rate: peak } = await measure(bench, uploads, { body, connections: 64 });
  const before = await memory();
  const seconds = bench.options.overloadSeconds;
  const [hits, seen] = await Promise.all([
    bench.generator.shoot({ url, body, connections: crowd, seconds: seconds + 2 }),
    atConstantRate({ url, body, ...probe, seconds }),
  ]);
  const after = await memory();

  const rows = [
    ['peak at 64 connections', `${figure(peak)}/s`],
    [`answers to ${figure(crowd)} connections`, `${figure(hits.answers / hits.seconds)}/s`],
    ['of them no success', figure(hits.refused)],
    ['connections failed, time-outs', figure(hits.broken + seen.broken)],
    ['median, slowest of them', `${figure(hits.p50)} ms, ${figure(hits.max)} ms`],
    ...Object.entries(seen.statuses).map(([status, count]) => [
      `${autocannonName}: ${status}`,
      figure(count),
    ]),
    ['median, slowest of these', `${figure(seen.p50)} ms, ${figure(seen.max)} ms`],
    ['RSS before, after', `${megabytes(before.rss)} MB, ${megabytes(after.rss)} MB`],
    ['heap before, after', `${megabytes(before.heapUsed)} MB, ${megabytes(after.heapUsed)} MB`],
  ];
  const wrong = Object.keys(seen.statuses).filter((status) => !allowed.includes(status));
  const problems = [
    ...wrong.map((status) => `overload: answers ${status}`),
    ...(hits.broken + seen.broken > 0 ? [`overload: ${hits.broken + seen.broken} connections failed`] : []),
  ];
  return { text: table(['', ''], rows), problems };
}
