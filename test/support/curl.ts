import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What curl says when an answer is cut off: nothing came, it was shorter than said, the connection was reset. */
export const cutOff = [18, 52, 56];

/** Downloads with curl into files of a folder of its own. Call in a test. */
export async function createCurl(token: string) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-curl-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let files = 0;

  async function exitOf(child: ChildProcess): Promise<number> {
    const [code] = await once(child, 'exit');
    // None when it was killed.
    return code ?? -1;
  }

  /** Begins a download, behind what is there with `-C -` among the arguments and a file from before. */
  return function curl(url: string, args: string[] = [], path = join(folder, String(files++))) {
    const child = spawn('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, ...args, '-o', path, url], {
      stdio: 'ignore',
    });
    const leave = () => void child.kill('SIGKILL');
    onTestFinished(leave);
    return {
      path,
      /** Bytes that have arrived. */
      size: () =>
        stat(path).then(
          ({ size }) => size,
          () => 0,
        ),
      exit: exitOf(child),
      /** Ends it, whatever is yet to come. */
      leave,
      bytes: () => readFile(path),
    };
  };
}
