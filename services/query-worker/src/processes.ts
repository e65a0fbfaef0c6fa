import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AskKind, type AskMessage, type Asks, limits, type Reply } from './duck/ask.ts';

const program = join(import.meta.dirname, 'duck/child.ts');

export type Processes = ReturnType<typeof createProcesses>;

/** Whatever is asked has a process of its own, which sees no settings of this one and can be killed. One is started ahead. */
export function createProcesses(folder: string, ms: number = limits.ms) {
  const running = new Set<ChildProcess>();
  let isClosed = false;
  let spare: ChildProcess | undefined;

  // The code without types, and compiled: most of what a start would cost.
  const env = { NODE_COMPILE_CACHE: join(folder, 'code') };

  function start(): ChildProcess {
    const child = fork(program, { env, execArgv: [], serialization: 'advanced', stdio: 'ignore' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    // Its exit is what counts.
    child.on('error', () => undefined);
    return child;
  }

  spare = start();

  return {
    /** Asks a process, which is killed when the signal aborts or its time is over. */
    async ask<K extends AskKind>(
      kind: K,
      asked: Omit<Asks[K]['asked'], 'folder'>,
      signal: AbortSignal,
    ): Promise<Reply<Asks[K]['answer']>> {
      const own = await mkdtemp(join(folder, 'question-'));
      // The system may have ended it meanwhile.
      const child = spare?.connected ? spare : start();
      spare = isClosed ? undefined : start();
      const ended = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
      const kill = () => child.kill('SIGKILL');
      ended.addEventListener('abort', kill);
      try {
        if (ended.aborted) kill();
        child.send({ kind, ...asked, folder: own } as AskMessage);
        const messages = new AbortController();
        const exited = once(child, 'exit', { signal: messages.signal });
        exited.catch(() => undefined);
        const replied = (async () => {
          for (;;) {
            const [message] = await once(child, 'message', { signal: messages.signal });
            if (message !== 'ready') return message as Reply<Asks[K]['answer']>;
          }
        })();
        replied.catch(() => undefined);
        const reply = await Promise.race([
          replied,
          exited.then(([code, name]) => refusalOf(code ?? name, ended, ms)),
        ]);
        messages.abort();
        return reply;
      } finally {
        ended.removeEventListener('abort', kill);
        kill();
        await rm(own, { recursive: true, force: true });
      }
    },

    close(): void {
      isClosed = true;
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

/** `end`: the exit code of the process, or the signal that ended it. */
function refusalOf(end: number | NodeJS.Signals, ended: AbortSignal, ms: number): Reply<never> {
  if (ended.aborted)
    return { refusal: { message: `the question took longer than ${ms / 1_000} s`, excess: 'too_long' } };
  const message = 'the question took too much memory: ask for fewer or shorter values';
  // By itself, or by a system that is short of memory.
  if (end === 'SIGKILL') return { refusal: { message, excess: 'too_large' } };
  throw new Error(`the process of a question ended with ${end}`);
}
