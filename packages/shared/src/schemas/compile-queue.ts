import { Worker } from 'node:worker_threads';
import type { CompileReply, CompileRequest, ThreadMessage } from './compile-thread.ts';
import { limits } from './limits.ts';

type Request = Omit<CompileRequest, 'id'>;
type Answer = { code: string } | { problem: string };
type Job = { request: Request; resolve(answer: Answer): void; reject(error: Error): void };

/** Serves requests one by one; a thread that passes the deadline or its heap is ended and replaced. */
export function createCompileThread(deadlineMs: number) {
  const waiting: Job[] = [];
  let worker: Worker | undefined;
  let ready = false;
  let closed = false;
  let current: (Job & { id: number; timer: NodeJS.Timeout }) | undefined;
  let lastId = 0;

  return { generate, close };

  function generate(request: Request): Promise<Answer> {
    if (closed) return Promise.reject(new Error('the schema compiler is closed'));
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      next();
    });
  }

  function next(): void {
    if (closed || current) return;
    if (waiting.length === 0) {
      worker?.unref();
      return;
    }
    worker ??= start();
    worker.ref();
    // The start of a thread is not the schema's time.
    if (!ready) return;
    const job = waiting.shift() as Job;
    const id = ++lastId;
    const timer = setTimeout(
      () => replace({ problem: `the schema takes longer than ${deadlineMs} ms to compile` }),
      deadlineMs,
    );
    current = { ...job, id, timer };
    worker.postMessage({ ...job.request, id } satisfies CompileRequest);
  }

  function start(): Worker {
    const started = new Worker(new URL('./compile-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.compileHeapMb, maxYoungGenerationSizeMb: 32 },
      env: {},
      execArgv: [],
    });
    started.on('message', (message: ThreadMessage) => started === worker && take(message));
    started.on('error', (error: NodeJS.ErrnoException) => started === worker && fail(error));
    return started;
  }

  function take(message: ThreadMessage): void {
    if ('ready' in message) ready = true;
    else if (message.id === current?.id) finish(toAnswer(message));
    next();
  }

  function fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      replace({ problem: 'the schema takes too much memory to compile' });
      return;
    }
    const failed = current ?? waiting.shift();
    replace();
    failed?.reject(error);
  }

  function finish(answer: Answer): void {
    clearTimeout(current?.timer);
    current?.resolve(answer);
    current = undefined;
  }

  function replace(answer?: Answer): void {
    const ended = worker;
    worker = undefined;
    ready = false;
    if (answer) finish(answer);
    clearTimeout(current?.timer);
    current = undefined;
    void ended?.terminate();
    next();
  }

  async function close(): Promise<void> {
    closed = true;
    const left = [...(current ? [current] : []), ...waiting.splice(0)];
    clearTimeout(current?.timer);
    current = undefined;
    await worker?.terminate();
    for (const job of left) job.reject(new Error('the schema compiler is closed'));
  }
}

function toAnswer(reply: CompileReply): Answer {
  return 'code' in reply ? { code: reply.code } : { problem: reply.problem };
}
