import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { lowPort } from './low-port.ts';
import { until } from './sluice.ts';

const version = 'v1.8.0';
export const accessKeyId = 'sluice-tests';
export const secretAccessKey = 'a secret of tests';

/** The S3 server of the tests: VERSITYGW_BINARY, or built once by Go. */
async function binary(): Promise<string> {
  if (process.env.VERSITYGW_BINARY) return process.env.VERSITYGW_BINARY;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'sluice', `versitygw-${version}`);
  const path = join(folder, 'versitygw');
  if (!existsSync(path)) {
    const source = `github.com/versity/versitygw/cmd/versitygw@${version}`;
    await promisify(execFile)('go', ['install', source], { env: { ...process.env, GOBIN: folder } });
  }
  return path;
}

/** An S3 server on a free port with a bucket `lake`, whose objects are files in `folder`. Call in a test. */
export async function startVersitygw() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  mkdirSync(join(folder, 'lake'));
  const port = await lowPort();
  const program = await binary();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', folder], {
      env: {
        PATH: process.env.PATH,
        ROOT_ACCESS_KEY_ID: accessKeyId,
        ROOT_SECRET_ACCESS_KEY: secretAccessKey,
      },
      stdio: 'ignore',
    });
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    await until(isUp, Number.POSITIVE_INFINITY);
  }
  const stop = () => void child?.kill('SIGKILL');
  onTestFinished(() => {
    stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  const bucket = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'lake',
    accessKeyId,
    secretAccessKey,
    pathStyle: true,
  };
  return { bucket, folder: join(folder, 'lake'), start, stop };
}
