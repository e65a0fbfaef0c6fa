import { setTimeout as pause } from 'node:timers/promises';
import type { Statuses } from '../hostile/at-rate.ts';
import type { Kind } from '../hostile/main.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate, type Paced } from '../support/constant-rate.ts';
import { startHostile } from '../support/hostile.ts';
import { expectEcho, settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

/** The load of other tenants. It is so low that only the hostile tenant can delay answers. */
const ordinary = { connections: 64, rate: 200 };
const target = { atMost: 2 };

const attacks: [name: string, kind: Kind, login: 'off' | '60/1m', rate?: number, atMost?: number][] = [
  ['patterns (ReDoS), 10/s', 'patterns', 'off'],
  ['reference bombs, 10/s', 'references', 'off'],
  ['large schemas, 10/s', 'large', 'off'],
  ['costly uploads, 10/s', 'costly', 'off'],
  ['500 slow connections', 'sockets', 'off'],
  ['200 logins/s', 'logins', '60/1m'],
  ['200 logins/s, no LOGIN_RATE', 'logins', 'off'],
  ['200 losses/s beside 1,000 uploads/s', 'losses', 'off', 1_000, 1.2],
];

interface Both {
  before: Paced;
  during: Paced;
  statuses: Statuses;
}

/** Compares the latency of other tenants' uploads during an attack and just before it. */
export async function neighbours(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const body = bench.write('payload.json', payloadOf(1_024));
  const servers = { off: await start(bench, 'off', body), '60/1m': await start(bench, '60/1m', body) };

  const turns = attacks.map(([name, kind, login, rate = ordinary.rate]) => ({
    name,
    async measure(): Promise<Both> {
      const { url, hostile } = servers[login];
      const pace = { ...ordinary, rate, url, body };
      await hostile.ask({ kind });
      await settle(bench);
      await atConstantRate({ ...pace, seconds: options.warmUpSeconds });
      const before = await atConstantRate({ ...pace, seconds: options.seconds });
      // Within this second the last of the ordinary connections begins.
      const seconds = options.warmUpSeconds + options.seconds + 1;
      const attack = hostile.ask<Statuses>({ kind, seconds });
      await pause(1_000 * options.warmUpSeconds);
      const during = await atConstantRate({ ...pace, seconds: options.seconds });
      return { before, during, statuses: await attack };
    },
  }));
  const results = await inRounds(options.rounds, turns, say, ({ before, during, statuses }) =>
    [
      `p99 ${figure(before.p99, 1)} → ${figure(during.p99, 1)} ms`,
      `p50 ${figure(before.p50, 1)} → ${figure(during.p50, 1)} ms`,
      `ordinary ${JSON.stringify(during.statuses)}, hostile ${JSON.stringify(statuses)}`,
    ].join('; '),
  );

  const of = (i: number, phase: 'before' | 'during', key: 'p50' | 'p99') =>
    (results[i] ?? []).map((both) => both[phase][key]);
  const times = attacks.map(([name], i) => [
    name,
    ...[of(i, 'before', 'p50'), of(i, 'before', 'p99'), of(i, 'during', 'p50'), of(i, 'during', 'p99')].map(
      (values) => spread(values, 1),
    ),
  ]);
  const answers = attacks.map(([name], i) => [
    name,
    ...shown((results[i] ?? []).map((both) => both.statuses)),
  ]);
  const compared = attacks.map(([name, , , , atMost = target.atMost], i) => ({
    name,
    target: { atMost },
    over: of(i, 'during', 'p99'),
    under: of(i, 'before', 'p99'),
  }));
  return {
    text: [
      `${ordinary.rate} uploads a second of other tenants over ${ordinary.connections} connections that stay open, in ms:`,
      table(['', 'p50 before', 'p99 before', 'p50 during', 'p99 during'], times),
      ratios(compared),
      'What the hostile client was answered, in all rounds that count:',
      table(['', 'requests', 'by status'], answers),
    ].join('\n\n'),
    problems: problemsOf(results.flat()),
  };
}

async function start(bench: Bench, login: 'off' | '60/1m', body: string) {
  const database = `bench_neighbours_${login === 'off' ? 'off' : 'rate'}`;
  const api = await startSluice(bench, { database, schema: schemaOf(), env: { LOGIN_RATE: login } });
  await expectEcho(api.uploads, body);
  return { url: api.uploads.url, hostile: await startHostile(bench, api.url) };
}

function shown(all: Statuses[]): string[] {
  const sums = new Map<string, number>();
  for (const [status, count] of all.flatMap(Object.entries))
    sums.set(status, (sums.get(status) ?? 0) + count);
  const requests = [...sums].reduce((sum, [status, count]) => sum + (status === 'opened' ? 0 : count), 0);
  return [figure(requests), [...sums].map(([status, count]) => `${status}: ${figure(count)}`).join(', ')];
}

/** Only the hostile client may be refused. */
function problemsOf(all: Both[]): string[] {
  const refused = all
    .flatMap(({ before, during }) => [before, during])
    .flatMap(({ statuses, broken }) => [
      ...Object.keys(statuses).filter((status) => status !== '201'),
      ...(broken > 0 ? ['nothing'] : []),
    ]);
  return [...new Set(refused)].map((status) => `neighbours: other tenants were answered ${status}`);
}
