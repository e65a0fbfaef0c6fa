import { setTimeout as pause } from 'node:timers/promises';
import type { EntryPage } from '@sluice/api/entries/contract.ts';
import type { JobAnswer } from '@sluice/api/jobs/contract.ts';
import type { Bench } from '../support/bench.ts';
import { startFilled } from '../support/filled.ts';
import { jobCompleted } from '../support/jobs.ts';
import { measure } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { withStore } from '../support/store.ts';
import { figure, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_deletions';
const connections = 64;
/** The age of all entries: more than 30 days. */
const ageMs = 31 * 86_400_000;

/** Deletes the newer half of the entries by a job, then lets the others expire during uploads to another application. */
export async function deletions(bench: Bench): Promise<Section> {
  const { say, options } = bench;
  const count = options.entries ?? 1_000_000;
  const filled = await startFilled(bench, database, count, { ageMs });
  const { account, domain, application } = filled;
  const { client, token } = account;
  await withStore(bench, database, ({ milestones }) =>
    milestones.set(application, Date.now(), Number.POSITIVE_INFINITY),
  );
  const worker = await startWorker(bench, { service: 'ingest-worker', database });
  const left = async () => {
    const path = `/applications/${domain}/data?limit=1`;
    return (await client.need<EntryPage>('GET', path, { token })).pagination.total;
  };

  const began = performance.now();
  const since = new Date(Date.now() - ageMs - count / 2).toISOString();
  const path = `/applications/${domain}/deletions`;
  const { id } = await client.need<JobAnswer>('POST', path, { token, body: { from: since } });
  await jobCompleted(filled, 'deletions', id);
  const deletedRate = (count - (await left())) / ((performance.now() - began) / 1_000);
  say(`  ${figure(deletedRate)} deleted a second`);

  const entries = await left();
  await client.need('PATCH', `/applications/${domain}`, { token, body: { retention_days: 30 } });
  while ((await left()) === entries) await pause(1_000);
  const body = bench.write('payload.json', payloadOf(1_024));
  // Stored entries cannot be counted, as others expire meanwhile.
  const { database: _, ...uploads } = filled.uploadsOf(await account.create(schemaOf()));
  let [expired, seconds] = [0, 0];
  const turn = (name: string, signal: 'SIGCONT' | 'SIGSTOP') => ({
    name,
    async measure(): Promise<number> {
      process.kill(worker.pid, signal);
      const [there, from] = [await left(), performance.now()];
      const { rate } = await measure(bench, uploads, { body, connections });
      if (signal === 'SIGCONT') {
        expired += there - (await left());
        seconds += (performance.now() - from) / 1_000;
      }
      return rate;
    },
  });
  const turns = [turn('beside expiry', 'SIGCONT'), turn('alone', 'SIGSTOP')];
  const results = await inRounds(options.rounds, turns, say, (rate) => `${figure(rate)}/s`);
  process.kill(worker.pid, 'SIGCONT');
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  const [over = [], under = []] = results;
  return {
    text: [
      `A deletion of half of ${figure(count)} entries, once: ${figure(deletedRate)} a second. Beside uploads ${figure(expired / seconds)} expire a second.`,
      table(['uploads a second', ''], rows),
      ratios([{ name: 'beside expiry / alone', over, under, target: { atLeast: 0.95 } }]),
    ].join('\n\n'),
  };
}
