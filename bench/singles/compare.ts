import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../support/bench.ts';
import type { Uploads } from '../support/contestants.ts';
import { expectEcho, type Load, type Measured, measure } from '../support/measure.ts';
import { inRounds, type Turn } from '../support/rounds.ts';
import { figure } from '../support/table.ts';
import type { Compared } from './tables.ts';

export type Content = Pick<Load, 'body' | 'inLines'>;
export interface Start {
  name: string;
  start(): Promise<Uploads>;
}

const connectionCounts = [64, 256];
const freshConnections = 64;
const ageMs = 2_000;
const freshSeconds = 5;

/** Compares processes that have run for all rounds. Stops them. */
export async function compareWarm(bench: Bench, starts: Start[], content: Content): Promise<Compared[]> {
  const all: Uploads[] = [];
  for (const { start } of starts) all.push(await start());
  for (const uploads of all) await expectEcho(uploads, content.body);
  const turns = connectionCounts.flatMap((connections) =>
    all.map((uploads) => ({
      contestant: uploads.name,
      column: `${connections} connections`,
      measure: () => measure(bench, uploads, { ...content, connections }),
    })),
  );
  const compared = await compare(bench, turns);
  await Promise.all(all.map(({ stop }) => stop()));
  return compared;
}

/** Compares processes that are new in each round. They have had no request when the load begins. */
export async function compareFresh(bench: Bench, starts: Start[], content: Content): Promise<Compared[]> {
  const load = { ...content, connections: freshConnections };
  const turns = starts.map(({ name, start }) => ({
    contestant: name,
    column: `${freshConnections} connections`,
    async measure() {
      const uploads = await start();
      await pause(ageMs);
      const measured = await measure(bench, uploads, load, { warmUpSeconds: 0, seconds: freshSeconds });
      await uploads.stop();
      return measured;
    },
  }));
  return compare(bench, turns);
}

interface Contest extends Pick<Turn<Measured>, 'measure'> {
  contestant: string;
  column: string;
}

async function compare({ options, say }: Bench, contests: Contest[]): Promise<Compared[]> {
  const results = await inRounds(
    options.rounds,
    contests.map(({ contestant, column, measure }) => ({ name: `${contestant}, ${column}`, measure })),
    say,
    ({ rate, cpu }) => `${figure(rate)}/s, ${figure(cpu, 1)} µs`,
  );
  return contests.map(({ contestant, column }, i) => ({
    name: contestant,
    column,
    results: results[i] ?? [],
  }));
}
