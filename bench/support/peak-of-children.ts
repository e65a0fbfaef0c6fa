import { readdirSync, readFileSync } from 'node:fs';
import { resident } from './resident.ts';

const everyMs = 50;

/** Watches the memory of the processes that a process starts. The function that it returns ends it, with the highest peak in bytes. */
export function peakOfChildren(pid: number): () => number | undefined {
  let highest: number | undefined;
  function look(child: string): void {
    try {
      const stat = readFileSync(`/proc/${child}/stat`, 'utf8');
      // The parent is the second field after the name, which may have spaces.
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      const peak = Number(parent) === pid ? resident(Number(child))?.peak : undefined;
      // Not a number: the process has just ended.
      if (peak) highest = Math.max(highest ?? 0, peak);
    } catch {
      // It has ended meanwhile.
    }
  }
  const timer = setInterval(() => {
    if (process.platform !== 'linux') return;
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) look(name);
  }, everyMs);
  return () => {
    clearInterval(timer);
    return highest;
  };
}
