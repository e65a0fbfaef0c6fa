import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, runningPid } from './process-id.ts';
import { StartError } from './start-error.ts';

export interface Lock {
  release(): void;
}

/** Makes this process the only one that uses `dir`. The lock of a process that has died is taken over. */
export function lockDir(dir: string, file: string): Lock {
  const own = identify(process.pid) ?? String(process.pid);
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, own);
  try {
    while (!linked(mine, file)) {
      const holder = read(file);
      const pid = holder === undefined ? undefined : runningPid(holder);
      if (pid) throw new StartError(`another Sluice is running in ${dir}, or still stopping (pid ${pid})`);
      // Renamed, not removed: of two that find the same dead lock only one can move it.
      discard(file, `${mine}.dead`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    release() {
      if (read(file) === own) rmSync(file, { force: true });
    },
  };
}

/** A link appears with its content already in it, unlike a file that is created and then written. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function discard(file: string, aside: string): void {
  try {
    renameSync(file, aside);
    rmSync(aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
