import { readFileSync } from 'node:fs';
import { resident } from './resident.ts';

const everyMs = 10;

/** Watches the memory of the processes that a process starts. The function that it returns ends it, with the highest peak in bytes. */
export function peakOfChildren(pid: number): () => number | undefined {
  let highest: number | undefined;
  function look(): void {
    try {
      for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '))
        highest = Math.max(highest ?? 0, resident(Number(child))?.peak ?? 0);
    } catch {
      // A child has ended meanwhile, or the system is not Linux.
    }
  }
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    return highest;
  };
}
