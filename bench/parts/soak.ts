import type { Bench } from '../support/bench.ts';
import { megabytes } from '../support/memory.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, table } from '../support/table.ts';

const connections = 64;

/** Minutes of saturation: does memory grow, does the rate fall, does anything fail? */
export async function soak(bench: Bench): Promise<Section> {
  const { minutes } = bench.options;
  const body = bench.write('payload.json', payloadOf(1_024));
  const { uploads, memory } = await startSluice(bench, { database: 'bench_soak', schema: schemaOf() });
  const rows = [];
  let errors = 0;
  for (let done = 0; done < minutes; ) {
    const length = Math.min(1, minutes - done);
    const hits = await bench.generator.shoot({ url: uploads.url, body, connections, seconds: length * 60 });
    done += length;
    errors += hits.refused + hits.broken;
    const { rss, heapUsed } = await memory();
    const rate = figure((hits.answers - hits.refused) / hits.seconds);
    const failures = figure(hits.refused + hits.broken);
    rows.push([String(done), rate, figure(hits.max), megabytes(rss), megabytes(heapUsed), failures]);
    bench.say(`  minute ${done}: ${rate}/s, RSS ${megabytes(rss)} MB, heap ${megabytes(heapUsed)} MB`);
  }
  const text = table(['after minute', 'answers/s', 'slowest ms', 'RSS MB', 'heap MB', 'errors'], rows);
  return { text, problems: errors > 0 ? [`soak: ${errors} errors`] : [] };
}
