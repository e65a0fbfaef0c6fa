import { readFileSync, writeFileSync } from 'node:fs';

/** Bytes of memory that a process has. */
export interface Resident {
  now: number;
  /** Since it began, or since `forgetPeak`. */
  peak: number;
}

/** Undefined where the system is not Linux. */
export function resident(pid: number): Resident | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** What the process has now counts as its peak. */
export function forgetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Seconds of processor time that the process has used, all its threads together; NaN where the system is not Linux. */
export function processorSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name, which may have spaces: utime and stime, in hundredths of a second (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
