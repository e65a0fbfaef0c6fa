import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { secretFileOf, secretsKeyFileOf } from '@sluice/shared/config/local-stores.ts';
import { lockDir } from './lock.ts';
import { StartError } from './start-error.ts';

/** Creates or opens the data folder, and locks it for this process. Throws StartError. */
export function openDataDir(path: string) {
  const dir = resolve(path);
  const logs = join(dir, 'logs');
  const run = join(dir, 'run');
  try {
    // Private, as it has the data and the secret that signs tokens.
    for (const folder of [dir, logs, run]) makeFolder(folder);
    const lock = lockDir(dir, join(dir, 'lock'));
    return {
      dir,
      logs,
      run,
      jwtSecret: keptSecret(secretFileOf(dir)),
      secretsKey: keptSecret(secretsKeyFileOf(dir)),
      close: lock.release,
    };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `cannot write to the data folder ${dir} (${code}); choose another: DATA_DIR=… npm start`,
    );
  }
}

/** Node's own `recursive` never returns if the system always answers ENOENT, as below /proc. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Keeps the secret, so that tokens stay valid after a restart. */
function keptSecret(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim();
    if (kept) return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(48).toString('base64url');
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
