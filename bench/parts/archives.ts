import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobAnswer } from '@sluice/api/jobs/contract.ts';
import { startVersitygw } from '../../test/support/versitygw.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { formats } from '../support/exporting.ts';
import { startFilled } from '../support/filled.ts';
import { jobCompleted, takeExport } from '../support/jobs.ts';
import { settle } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { forgetPeak, processorSeconds, resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { figure, limits, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_archives';
const beside = { connections: 32, rate: 500 };
type Format = (typeof formats)[number];

/** Puts all entries of an application into a bucket, and uploads to another application beside it. */
export async function archives(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const entries = options.entries ?? 1_000_000;
  const env = { OUTBOUND_ALLOW: '127.0.0.1', SECRETS_KEY: randomBytes(32).toString('hex') };
  const gateway = await startVersitygw();
  try {
    const sluice = await startFilled(bench, database, entries, { env });
    const worker = await startWorker(bench, { service: 'export-worker', database, env });
    const { account, domain } = sluice;
    const { client, token } = account;
    const path = `/applications/${domain}`;
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key, ...place } = gateway.target;

    async function exported(format: Format): Promise<JobAnswer> {
      // What archives always have.
      const body = { format, meta: ['id', 'schema_version'] };
      const { id } = await client.need<JobAnswer>('POST', `${path}/exports`, { token, body });
      await jobCompleted(sluice, 'exports', id);
      return takeExport(sluice);
    }

    let made = 0;
    async function archived(format: Format, work: () => Promise<void> = async () => {}): Promise<JobAnswer> {
      const to = { kind: 's3', ...place, prefix: `run-${made++}`, access_key_id, secret_access_key };
      const body = { to, format, every: '1d', from: 'beginning' };
      const { id } = await client.need<{ id: string }>('POST', `${path}/archives`, { token, body });
      const runs = () => client.need<JobAnswer[]>('GET', `${path}/archives/${id}/runs`, { token });
      while ((await runs())[0]?.state !== 'active') await pause(20);
      await work();
      let [run] = await runs();
      for (; run?.state !== 'completed'; [run] = await runs()) {
        if (run?.state === 'failed') throw new Error(`the run failed: ${run.error}`);
        await pause(100);
      }
      await client.need('DELETE', `${path}/archives/${id}`, { token });
      return run;
    }

    const turn = (name: string, make: () => Promise<JobAnswer>) => ({
      name,
      async measure() {
        forgetPeak(worker.pid);
        const busy = processorSeconds(worker.pid);
        const { startedAt = '', finishedAt = '', file, result } = await make();
        const stored = file?.rows ?? (result && 'entries' in result ? result.entries : 0);
        if (stored !== entries) throw new Error(`${name} has ${stored} entries`);
        const cpu = (1e6 * (processorSeconds(worker.pid) - busy)) / entries;
        await settle(bench);
        const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
        return { rate: entries / seconds, cpu, peak: resident(worker.pid)?.peak };
      },
    });
    const turns = formats.flatMap((format) => [
      turn(`export of ${format}`, () => exported(format)),
      turn(`archive of ${format}`, () => archived(format)),
    ]);
    const results = await inRounds(
      options.rounds,
      turns,
      say,
      ({ rate, cpu, peak = Number.NaN }) =>
        `${figure(rate)}/s, ${figure(cpu, 1)} µs, worker ${megabytes(peak)} MB`,
    );

    const body = bench.write('payload.json', payloadOf(1_024));
    const { url } = sluice.uploadsOf(await account.create(schemaOf()));
    const paced = () => atConstantRate({ ...beside, url, body, seconds: options.seconds });
    const uploads = formats.map((format) => ({
      name: `beside an archive of ${format}`,
      async measure() {
        let p99 = Number.NaN;
        await archived(format, async () => {
          ({ p99 } = await paced());
        });
        await settle(bench);
        return p99;
      },
    }));
    const alone = {
      name: 'alone',
      async measure() {
        const { p99 } = await paced();
        await settle(bench);
        return p99;
      },
    };
    const times = await inRounds(
      options.rounds,
      [alone, ...uploads],
      say,
      (p99) => `p99 ${figure(p99, 1)} ms`,
    );

    const of = (name: string) => results[turns.findIndex((turn) => turn.name === name)] ?? [];
    const rates = (name: string) => of(name).map(({ rate }) => rate);
    const peaks = turns
      .filter(({ name }) => name.startsWith('archive'))
      .flatMap(({ name }) => of(name).flatMap(({ peak }) => peak ?? []));
    return {
      text: [
        `An application of ${figure(entries)} entries, into a bucket of versitygw on the same machine.`,
        table(
          ['entries a second', '', 'µs of processor time'],
          turns.map(({ name }) => [
            name,
            spread(rates(name)),
            spread(
              of(name).map(({ cpu }) => cpu),
              1,
            ),
          ]),
        ),
        ratios(
          formats.map((format) => ({
            name: `archive / export of ${format}`,
            over: rates(`archive of ${format}`),
            under: rates(`export of ${format}`),
            target: { atLeast: 0.9 },
          })),
        ),
        limits([
          {
            name: 'most memory of the worker in archives',
            value: peaks.length > 0 ? Math.max(...peaks) / 1e6 : undefined,
            unit: 'MB',
            atMost: 300,
          },
        ]),
        `${beside.rate} uploads a second to another application:`,
        table(
          ['p99 ms', ''],
          [alone, ...uploads].map(({ name }, at) => [name, spread(times[at] ?? [], 1)]),
        ),
        ratios(
          uploads.map(({ name }, at) => ({
            name: `p99 ${name} / alone`,
            over: times[at + 1] ?? [],
            under: times[0] ?? [],
            target: { atMost: 1.2 },
          })),
        ),
      ].join('\n\n'),
    };
  } finally {
    await gateway.stop();
  }
}
