import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { processEnv } from './process-env.ts';
import { exitOf } from './service-process.ts';

const main = join(import.meta.dirname, '../../services/admin/src/main.ts');

/** Runs `sluice-admin` on the stores of these settings, and tells how it ended. */
export async function admin(
  env: Record<string, string>,
  args: string[],
  input: Uint8Array = Buffer.alloc(0),
) {
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnv({ MONGODB_TIMEOUT: '60s', ...env }),
  });
  // A command that refuses what it reads ends before all of it is written.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { code, stdout, stderr };
}
