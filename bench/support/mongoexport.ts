import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { payloadOf } from './payload.ts';

const run = promisify(execFile);
const fields = ['_id', ...Object.keys(JSON.parse(payloadOf(1_024))).map((name) => `payload.${name}`)];

/** A function that exports all entries as CSV; undefined if mongoexport is not on the PATH. */
export async function findMongoexport(bench: Bench, database: string, entries: number) {
  const found = await run('mongoexport', ['--version']).catch(() => undefined);
  if (!found) return undefined;
  const args = [
    ...['--uri', bench.databaseUrl(database), '--collection', 'entries'],
    ...['--type=csv', '--fields', fields.join(','), '--out', devNull],
  ];
  return async () => {
    const began = performance.now();
    // mongoexport prints the number of exported entries on stderr.
    const { stderr } = await run('mongoexport', args);
    const seconds = (performance.now() - began) / 1_000;
    if (!stderr.includes(`exported ${entries} record`)) throw new Error(`mongoexport: ${stderr.trim()}`);
    return { entries, seconds };
  };
}
