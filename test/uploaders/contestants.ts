import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

export interface Contestant {
  name: string;
  /** How many entries it sends. */
  count: number;
  /** Sends them, and resolves with the entries a second. */
  rate(): Promise<number>;
}

async function secondsOf([command, ...args]: string[]): Promise<number> {
  const start = performance.now();
  await promisify(execFile)(command as string, args);
  return (performance.now() - start) / 1_000;
}

/** A program; what it needs to start is subtracted. */
export function programOf(name: string, count: number, command: (count: number) => string[]): Contestant {
  return {
    name,
    count,
    async rate() {
      const start = await secondsOf(command(0));
      return count / ((await secondsOf(command(count))) - start);
    },
  };
}

/** One run of curl, which posts the batches one after the other over one connection, each with a key or without. */
export function curlOf(url: string, files: string[], count: number, hasKeys: boolean): Contestant {
  const options = ['-sf', '-o', devNull, '-H', 'content-type: application/x-ndjson'];
  const request = (file: string) => [
    ...options,
    ...(hasKeys ? ['-H', `idempotency-key: ${randomUUID()}`] : []),
    ...['--data-binary', `@${file}`, url],
  ];
  const args = () => files.flatMap((file, at) => (at > 0 ? ['--next', ...request(file)] : request(file)));
  return {
    name: hasKeys ? 'curl' : 'curl without keys',
    count,
    rate: async () => count / (await secondsOf(['curl', ...args()])),
  };
}
