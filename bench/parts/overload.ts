import { autocannonName } from '../support/autocannon.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { measure } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, table } from '../support/table.ts';

const connections = 1_000;
const allowed = ['201', '503'];

/** Twice what it can do, from a thousand connections: it may answer 503, nothing else may happen. */
export async function overload(bench: Bench): Promise<Section> {
  const body = bench.write('payload.json', payloadOf(1_024));
  const { uploads, memory } = await startSluice(bench, { database: 'bench_overload', schema: schemaOf() });
  const { rate: peak } = await measure(bench, uploads, { body, connections: 64 });
  const before = await memory();
  const seconds = bench.options.overloadSeconds;
  bench.say(`  peak ${figure(peak)}/s; twice that for ${seconds} s`);
  const result = await atConstantRate({ url: uploads.url, body, connections, rate: 2 * peak, seconds });
  const after = await memory();

  const { statuses, broken, asked, reached, max } = result;
  const rows = [
    ['peak at 64 connections', `${figure(peak)}/s`],
    [`asked by ${autocannonName}, ${figure(connections)} connections`, `${figure(asked)}/s`],
    ['answered 201', `${figure(reached)}/s`],
    ...Object.entries(statuses).map(([status, count]) => [`answers ${status}`, figure(count)]),
    ['connections failed, time-outs', figure(broken)],
    ['slowest answer', `${figure(max)} ms`],
    ['RSS before, after', `${megabytes(before.rss)} MB, ${megabytes(after.rss)} MB`],
    ['heap before, after', `${megabytes(before.heapUsed)} MB, ${megabytes(after.heapUsed)} MB`],
  ];
  const wrong = Object.keys(statuses).filter((status) => !allowed.includes(status));
  const problems = [
    ...wrong.map((status) => `overload: answers ${status}`),
    ...(broken > 0 ? [`overload: ${broken} connections failed`] : []),
  ];
  return { text: table(['', ''], rows), problems };
}
