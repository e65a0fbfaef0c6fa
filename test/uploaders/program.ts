import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Task } from './language.ts';

const running = new Set<() => void>();
/** Ends all programs. */
export const killPrograms = () => running.forEach((kill) => void kill());

/** What a program is given. */
export function argumentsOf(task: Task): string[] {
  const { url, spool, progress, from, to, characters, heldBytes, batchLines, closeSeconds } = task;
  const { poison, key, domain } = task;
  const limits = [heldBytes, batchLines, closeSeconds];
  return [url, spool, progress, from, to, characters, ...limits, poison, key, domain].map(String);
}

/** Starts a program. */
export function startProgram([command, ...args]: string[], given: string[]) {
  const child = spawn(command as string, [...args, ...given]);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const kill = () => child.kill('SIGKILL');
  running.add(kill);
  ended.finally(() => running.delete(kill));

  return {
    output,
    /** Resolves with the exit code; null if it was killed. */
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill,
    /** The most memory that it has had, in MiB. */
    peakMemory(): number {
      const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      return Number(kilobytes) / 1024;
    },
  };
}

/** The numbers for which `send` has returned. A line without its end does not count. */
export function acknowledged(progress: string): number[] {
  return readFileSync(progress, 'utf8').split('\n').slice(0, -1).map(Number);
}
