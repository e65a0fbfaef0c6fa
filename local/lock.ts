import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { identify, runningPid } from './process-id.ts';
import { StartError } from './start-error.ts';

export interface Lock {
  release(): void;
}

/** Locks `dir` for this process. It takes over the lock of a process that has died. */
export function lockDir(dir: string, file: string): Lock {
  const own = identify(process.pid) ?? String(process.pid);
  const mine = `${file}.${randomUUID()}`;
  writeFileSync(mine, own);
  try {
    const pid = take(mine, file);
    if (pid) throw new StartError(`another Sluice is running in ${dir}, or still stopping (pid ${pid})`);
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    release() {
      if (read(file) === own) rmSync(file, { force: true });
    },
  };
}

/**
 * Makes `file` a link to `mine`. Returns the process that has it; undefined if it is ours.
 *
 * Only who has its guard may replace the lock of a dead process, in one step. The guard is such a lock itself.
 */
function take(mine: string, file: string): number | undefined {
  while (!linked(mine, file)) {
    const holder = read(file);
    // Released meanwhile.
    if (holder === undefined) continue;
    const pid = runningPid(holder);
    if (pid) return pid;
    const guard = `${file}~`;
    const other = take(mine, guard);
    if (other) return other;
    if (read(file) === holder) {
      renameSync(guard, file);
      return undefined;
    }
    unlinkSync(guard);
  }
  return undefined;
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

/** Undefined if there is no such file. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
