import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'sluice-questions-';
/** Of this process. */
const own = new Set<string>();

/** Makes a folder for this process, and removes those of processes that were killed. */
export async function openTemporaryFolder(root = tmpdir()): Promise<string> {
  for (const name of await readdir(root)) {
    const [, pid] = /^sluice-questions-(\d+)-/.exec(name) ?? [];
    const path = join(root, name);
    // In a container each process has the same id.
    const isUsed = Number(pid) === process.pid ? own.has(path) : isAlive(Number(pid));
    // Another user may own it.
    if (pid && !isUsed) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
  const folder = await mkdtemp(join(root, `${prefix}${process.pid}-`));
  own.add(folder);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
