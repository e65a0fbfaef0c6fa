import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const module = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

/** VERSITYGW_BINARY, or what Go builds once on this machine. */
async function binary(): Promise<string> {
  const { VERSITYGW_BINARY: given } = process.env;
  if (given) return given;
  const folder = join(tmpdir(), 'sluice-versitygw-1.8.0');
  const built = join(folder, 'versitygw');
  if (!existsSync(built)) await run('go', ['install', module], { env: { ...process.env, GOBIN: folder } });
  return built;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** An S3 server over a temporary folder, with a bucket. */
export async function startVersitygw(bucket = 'lake') {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  mkdirSync(join(folder, bucket));
  const [port, path] = [await freePort(), await binary()];
  const keys = { accessKeyId: 'sluice-test', secretAccessKey: 'sluice-test-secret' };
  const server = spawn(path, ['--port', `127.0.0.1:${port}`, 'posix', folder], {
    env: { ROOT_ACCESS_KEY_ID: keys.accessKeyId, ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey },
    stdio: 'ignore',
  });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await fetch(endpoint).catch(() => undefined)))
    if (server.exitCode !== null) throw new Error(`versitygw ended with ${server.exitCode}`);
  return {
    target: { endpoint, bucket, ...keys },
    folder: join(folder, bucket),
    async stop() {
      server.kill();
      if (server.exitCode === null) await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
