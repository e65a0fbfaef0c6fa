import { readFileSync } from 'node:fs';
import type { Options } from '../options.ts';
import type { Bench } from './bench.ts';
import type { Uploads } from './contestants.ts';
import type { Hits, Shot } from './generator.ts';
import { processorSeconds } from './resident.ts';

export interface Measured extends Hits {
  /** Successful answers per second. */
  rate: number;
  /** The server's processor time per answer in microseconds; NaN if the system does not report it. */
  cpu: number;
}

export type Load = Omit<Shot, 'url' | 'seconds'> & {
  /** Entries in one body. */
  entries?: number;
};

/** One round: a warm-up, then the measurement. Throws if an answer is no success, or its entry is not stored. */
export async function measure(
  bench: Bench,
  uploads: Uploads,
  load: Load,
  { warmUpSeconds, seconds }: Pick<Options, 'warmUpSeconds' | 'seconds'> = bench.options,
): Promise<Measured> {
  const { entries = 1, ...shared } = load;
  const stored = () =>
    uploads.database ? bench.mongodb.db(uploads.database).collection('entries').estimatedDocumentCount() : 0;
  const before = await stored();
  const shot = { ...shared, url: uploads.url };
  const runs: Hits[] = [];
  if (warmUpSeconds > 0) runs.push(await bench.generator.shoot({ ...shot, seconds: warmUpSeconds }));
  const busyBefore = processorSeconds(uploads.pid);
  const hits = await bench.generator.shoot({ ...shot, seconds });
  const busy = processorSeconds(uploads.pid) - busyBefore;
  runs.push(hits);
  for (const run of runs) expectSuccess(uploads.name, run);
  if (hits.answers === 0) throw new Error(`${uploads.name} did not answer`);
  const answered = runs.reduce((sum, { answers }) => sum + answers, 0) * entries;
  const grown = (await stored()) - before;
  if (uploads.database && grown < answered)
    throw new Error(`${uploads.name}: ${answered} entries answered with success, ${grown} stored`);
  await settle(bench);
  return { ...hits, rate: hits.answers / hits.seconds, cpu: (1e6 * busy) / hits.answers };
}

function expectSuccess(name: string, { answers, refused, broken }: Hits): void {
  if (refused > 0 || broken > 0)
    throw new Error(
      `${name}: of ${answers} answers ${refused} were no success; ${broken} connections failed`,
    );
}

/** Runs a checkpoint, so that a contestant does not pay for the writes of the last one. */
export async function settle({ mongodb }: Bench): Promise<void> {
  await mongodb.db('admin').command({ fsync: 1 });
}

/** Uploads each line of a file, to check that all contestants give the same answer. */
export async function expectEcho({ name, url }: Uploads, body: string): Promise<void> {
  for (const sent of readFileSync(body, 'utf8').trim().split('\n')) {
    const { status, answer } = await upload(url, sent);
    const expected = [sent, JSON.stringify(JSON.parse(sent))].map((payload) => envelope(url, payload));
    if (status !== 201 || !expected.includes(answer))
      throw new Error(`${name} answers ${status}: ${answer.slice(0, 300)}`);
  }
}

/** Who parses and writes JSON again answers without the escapes that it does not need. */
const envelope = (url: string, payload: string) =>
  `{"success":true,"status":201,"data":{"domain":"${url.split('/').at(-2)}","payload":${payload}}}`;

/** Resolves with the answer, and its time in milliseconds. */
export async function upload(url: string, body: string) {
  const began = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const answer = await response.text();
  return { status: response.status, answer, ms: performance.now() - began };
}
