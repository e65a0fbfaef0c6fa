import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';

export interface WorkerOptions<A> {
  /** The file it runs, which calls `serve`. */
  file: URL;
  heapMb: number;
  /** The answers to a request that passed the deadline or the heap. */
  tooLong: A;
  tooLarge: A;
}

export interface Request<Q> {
  request: Q;
  transfer: Transferable[];
  /** Processor time, in ms; a thread that has to share the processor has so many times as long. */
  deadlineMs: number;
}

/** A worker thread that does one request at a time, and is ended and replaced when one passes the deadline or the heap. */
export function createWorker<Q, A>({ file, heapMb, tooLong, tooLarge }: WorkerOptions<A>) {
  let current: { worker: Worker; stop: AbortController } | undefined;
  let ready = false;

  return {
    isReady: () => ready,

    async start(): Promise<void> {
      const worker = new Worker(file, {
        resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
        env: compileCache(),
        execArgv: [],
      });
      const stop = new AbortController();
      current = { worker, stop };
      worker.on('error', () => {
        ready = false;
      });
      await once(worker, 'message', stop);
      ready = true;
    },

    async run({ request, transfer, deadlineMs }: Request<Q>): Promise<A> {
      if (!current) throw new Error('the thread has not started');
      const { worker, stop } = current;
      const unwatch = watch(worker, deadlineMs, () => stop.abort('late'));
      worker.ref();
      try {
        const answered = once(worker, 'message', stop);
        worker.postMessage(request, transfer);
        const [answer] = await answered;
        // While nothing is asked of it, it does not keep the process alive.
        worker.unref();
        return answer as A;
      } catch (error) {
        ready = false;
        void worker.terminate();
        if (stop.signal.reason === 'late') return tooLong;
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge;
        throw stop.signal.reason ?? error;
      } finally {
        unwatch();
      }
    },

    /** What is under way rejects with `reason`. */
    async close(reason: Error): Promise<void> {
      current?.stop.abort(reason);
      await current?.worker.terminate();
    },
  };
}

/** Where the process has a compile cache, its threads use it too. */
function compileCache(): Record<string, string> {
  // Of this version of Node.js; Node.js adds that part itself.
  const own = getCompileCacheDir();
  return own ? { NODE_COMPILE_CACHE: dirname(own) } : {};
}

const longestWait = 5;

/** Calls `late` after so much of the processor's time, where Node.js tells it, or so many times as long by the clock. */
function watch(worker: Worker, deadlineMs: number, late: () => void): () => void {
  const began = performance.now();
  // The thread may end before it answers.
  const before = worker.cpuUsage?.().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined = setTimeout(look, deadlineMs);
  async function look() {
    const usedMs = await usedSince(worker, before);
    if (timer === undefined) return;
    if (usedMs >= deadlineMs || performance.now() - began >= longestWait * deadlineMs) late();
    else timer = setTimeout(look, Math.max(1, deadlineMs - usedMs));
  }
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}

/** Milliseconds; endless where Node.js is older than 24.6, or the thread has ended. */
async function usedSince(worker: Worker, before?: Promise<NodeJS.CpuUsage | undefined>): Promise<number> {
  const [from, to] = await Promise.all([before, worker.cpuUsage?.().catch(() => undefined)]);
  return from && to ? (to.user + to.system - from.user - from.system) / 1_000 : Number.POSITIVE_INFINITY;
}
