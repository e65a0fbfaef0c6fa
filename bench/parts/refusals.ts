import type { JobAnswer } from '@sluice/api/jobs/contract.ts';
import type { Bench } from '../support/bench.ts';
import { jobCompleted } from '../support/jobs.ts';
import { settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { processorSeconds } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, type Ratio, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_refusals';
const connections = 64;
const percents = [0, 1, 50, 100];

/** Uploads 1 KB payloads, some of which do not conform, then replays the refused ones. */
export async function refusals(bench: Bench): Promise<Section> {
  const { rounds, before, warmUpSeconds, seconds } = bench.options;
  const now = await startSluice(bench, { database, schema: schemaOf() });
  const older =
    before &&
    (await startSluice(bench, { database: `${database}_before`, schema: schemaOf(), checkout: before }));
  const body = bench.write('payload.json', payloadOf(1_024));
  const refused = bench.write('refused.json', `[${payloadOf(1_024)}]`);

  async function measure(sluice: typeof now, percent: number) {
    const shot = { url: sluice.uploads.url, body, mixed: { body: refused, percent }, connections };
    await bench.generator.shoot({ ...shot, seconds: warmUpSeconds });
    const busyBefore = processorSeconds(sluice.pid);
    const hits = await bench.generator.shoot({ ...shot, seconds });
    const busy = processorSeconds(sluice.pid) - busyBefore;
    const share = (100 * hits.refused) / hits.answers;
    if (hits.broken > 0 || Math.abs(share - percent) > 1)
      throw new Error(`${figure(share, 1)} % of ${hits.answers} were refused, ${hits.broken} failed`);
    await settle(bench);
    return { rate: hits.answers / hits.seconds, cpu: (1e6 * busy) / hits.answers };
  }

  const contestants = [now, ...(older ? [older] : [])];
  const turns = percents.flatMap((percent) =>
    contestants.map((sluice) => ({
      sluice,
      percent,
      name: `${sluice.name}, ${percent} % refused`,
      measure: () => measure(sluice, percent),
    })),
  );
  const results = await inRounds(
    rounds,
    turns,
    bench.say,
    ({ rate, cpu }) => `${figure(rate)}/s, ${figure(cpu, 1)} µs`,
  );
  const of = (sluice: typeof now, percent: number, key: 'rate' | 'cpu') => {
    const place = turns.findIndex((turn) => turn.sluice === sluice && turn.percent === percent);
    return (results[place] ?? []).map((result) => result[key]);
  };
  const rows = turns.map(({ name, sluice, percent }) => [
    name,
    spread(of(sluice, percent, 'rate')),
    spread(of(sluice, percent, 'cpu'), 1),
  ]);
  const compared = percents.map(
    (percent): Ratio => ({
      name: `processor time, sluice / sluice-before, ${percent} % refused`,
      over: of(now, percent, 'cpu'),
      under: older ? of(older, percent, 'cpu') : [],
      ...(percent === 100 && { target: { atMost: 1.1 } }),
    }),
  );
  return {
    text: [
      table(['', 'answers a second', 'µs of processor time an answer'], rows),
      ...(older ? [ratios(compared)] : []),
      await replayed(bench, now),
    ].join('\n\n'),
  };
}

async function replayed(bench: Bench, { account, domain }: Awaited<ReturnType<typeof startSluice>>) {
  await startWorker(bench, { service: 'ingest-worker', database });
  const { client, token } = account;
  const began = performance.now();
  // Replaces an array of one object by the object.
  const body = { patch: [{ op: 'move', from: '/0', path: '' }] };
  const { id } = await client.need<JobAnswer>('POST', `/applications/${domain}/replays`, { token, body });
  const { result, progress } = await jobCompleted({ account, domain }, 'replays', id);
  const seconds = (performance.now() - began) / 1_000;
  return `A replay with a patch, once: ${figure(progress.done)} uploads, ${figure(progress.done / seconds)} a second: ${JSON.stringify(result)}.`;
}
