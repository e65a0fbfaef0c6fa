import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { settle } from './measure.ts';

const run = promisify(execFile);

/** A function that imports an NDJSON file and resolves with lines per second; undefined without mongoimport. */
export async function findMongoimport(bench: Bench, file: string, lines: number) {
  const found = await run('mongoimport', ['--version']).catch(() => undefined);
  if (!found) return undefined;
  const args = [
    ...['--uri', bench.databaseUrl('bench_mongoimport'), '--collection', 'entries', '--file', file],
    ...['--numInsertionWorkers', '2', '--writeConcern', '{"w":"majority","j":true}', '--quiet'],
  ];
  return async (): Promise<number> => {
    const began = performance.now();
    await run('mongoimport', args);
    const seconds = (performance.now() - began) / 1_000;
    await settle(bench);
    return lines / seconds;
  };
}
