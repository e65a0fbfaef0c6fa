import type { JobAnswer } from '@sluice/api/jobs/contract.ts';
import type { Bench } from '../support/bench.ts';
import { postFile } from '../support/curl.ts';
import { startFilled } from '../support/filled.ts';
import { writeNdjson } from '../support/import-files.ts';
import { jobCompleted } from '../support/jobs.ts';
import { settle } from '../support/measure.ts';
import { schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { withStore } from '../support/store.ts';
import { figure, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_rehearsals';

/** Rehearses as many entries as an import stores in another application. */
export async function rehearsals(bench: Bench): Promise<Section> {
  const { say, options } = bench;
  const count = options.entries ?? 1_000_000;
  const filled = await startFilled(bench, database, count);
  await withStore(bench, database, ({ milestones }) =>
    milestones.set(filled.application, Date.now(), Number.POSITIVE_INFINITY),
  );
  for (let i = 0; i < 2; i++) await startWorker(bench, { service: 'ingest-worker', database });
  const file = await writeNdjson(bench, count);
  const { account, url } = filled;
  const other = await account.create(schemaOf());

  async function importFile(): Promise<number> {
    const began = performance.now();
    const to = `${url}/api/applications/${other}/imports`;
    const { id } = await postFile<{ id: string }>({ ...file, url: to, token: account.token });
    const { accepted } = await jobCompleted({ account, domain: other }, 'imports', id);
    if (accepted !== count) throw new Error(`of ${count} lines ${accepted} accepted`);
    return rate(began);
  }

  async function rehearse(schema: object, conforming: number): Promise<number> {
    const began = performance.now();
    const path = `/applications/${filled.domain}/rehearsals`;
    const { id } = await account.client.need<JobAnswer>('POST', path, {
      token: account.token,
      body: { schema },
    });
    const { result } = await jobCompleted(filled, 'rehearsals', id);
    const expected = { checked: count, conforming };
    for (const [name, number] of Object.entries(expected))
      if (result?.[name as keyof typeof result] !== number)
        throw new Error(`${JSON.stringify(result)} instead of ${JSON.stringify(expected)}`);
    return rate(began);
  }

  async function rate(began: number): Promise<number> {
    const seconds = (performance.now() - began) / 1_000;
    await settle(bench);
    return count / seconds;
  }

  const turns = [
    { name: 'rehearsal', measure: () => rehearse(schemaOf(), count) },
    { name: 'import', measure: importFile },
  ];
  const results = await inRounds(options.rounds, turns, say, (each) => `${figure(each)}/s`);
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  rows.push([
    'rehearsal, none conforms, once',
    figure(await rehearse({ ...schemaOf(), maxProperties: 9 }, 0)),
  ]);
  const [over = [], under = []] = results;
  return {
    text: [
      `${figure(count)} entries in each round, two workers.`,
      table(['entries a second', ''], rows),
      ratios([{ name: 'rehearsal / import', over, under, target: { atLeast: 0.5 } }]),
    ].join('\n\n'),
  };
}
