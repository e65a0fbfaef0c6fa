import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, runningPid } from './process-id.ts';
import { StartError } from './start-error.ts';

export interface Lock {
  release(): void;
}

/** Locks `dir` for this process. It takes over the lock of a process that has died. */
export function lockDir(dir: string, file: string): Lock {
  const own = identify(process.pid) ?? String(process.pid);
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, own);
  try {
    while (!linked(mine, file)) {
      const holder = read(file);
      const pid = holder === undefined ? undefined : runningPid(holder);
      if (pid) throw new StartError(`another Sluice is running in ${dir}, or still stopping (pid ${pid})`);
      // Of two processes that find the same dead lock, only one can rename it.
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

/** A link has its content from the start; a new file would first be empty. */
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
