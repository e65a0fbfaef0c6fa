import { readFileSync } from 'node:fs';
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
export async function measure(bench: Bench, uploads: Uploads, load: Load): Promise<Measured> {
  const { entries = 1, ...shared } = load;
  const stored = () =>
    uploads.database ? bench.mongodb.db(uploads.database).collection('entries').estimatedDocumentCount() : 0;
  const before = await stored();
  const shot = { ...shared, url: uploads.url };
  const warmUp = await bench.generator.shoot({ ...shot, seconds: bench.options.warmUpSeconds });
  const busyBefore = processorSeconds(uploads.pid);
  const hits = await bench.generator.shoot({ ...shot, seconds: bench.options.seconds });
  const busy = processorSeconds(uploads.pid) - busyBefore;
  for (const run of [warmUp, hits]) expectSuccess(uploads.name, run);
  if (hits.answers === 0) throw new Error(`${uploads.name} did not answer`);
  const answered = (warmUp.answers + hits.answers) * entries;
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

/** One upload, to check that all contestants give the same answer. */
export async function expectEcho({ name, url }: Uploads, body: string): Promise<void> {
  const sent = readFileSync(body, 'utf8');
  const response = await fetch(url, {
    ...{ method: 'POST', body: sent, headers: { 'content-type': 'application/json' } },
  });
  const answer = await response.text();
  const data = `"data":{"domain":"${url.split('/').at(-2)}","payload":${sent}}`;
  if (response.status !== 201 || answer !== `{"success":true,"status":201,${data}}`)
    throw new Error(`${name} answers ${response.status}: ${answer.slice(0, 300)}`);
}
