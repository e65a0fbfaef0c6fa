import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * `"<pid> <start time>"` of a running process; undefined if it does not run.
 * Pids are reused, so only the start time identifies a process after a crash or a reboot.
 */
export function identify(pid: number): string | undefined {
  const started = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return started && `${pid} ${started}`;
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name in brackets, may have spaces, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = 'Z', ...started] = line.split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join('-');
  } catch {
    return undefined;
  }
}

/** The pid in `identity` (see `identify`) if the same process still runs. */
export function runningPid(identity: string): number | undefined {
  const pid = Number.parseInt(identity, 10);
  return pid > 0 && identify(pid) === identity.trim() ? pid : undefined;
}

/** Stops a process that is not a child of this one: SIGTERM, and SIGKILL after `graceMs`. */
export async function stopProcess(identity: string, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  let signal: NodeJS.Signals | undefined = 'SIGTERM';
  for (let pid = runningPid(identity); pid; pid = runningPid(identity)) {
    if (Date.now() > deadline) signal = 'SIGKILL';
    if (signal) process.kill(pid, signal);
    signal = undefined;
    await wait(20);
  }
}
