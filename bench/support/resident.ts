import { readFileSync, writeFileSync } from 'node:fs';

/** The memory of a process in bytes. */
export interface Resident {
  now: number;
  /** The peak since the start, or since `forgetPeak`. */
  peak: number;
}

/** Undefined on other systems than Linux. */
export function resident(pid: number): Resident | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** Resets the peak to the current memory. */
export function forgetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Processor time of all threads in seconds; NaN on other systems than Linux. */
export function processorSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime and stime follow the name, which may have spaces. The unit is 10 ms (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
