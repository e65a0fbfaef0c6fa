import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';

export interface WorkerOptions<A> {
  /** The file of the thread, which calls `serve`. */
  file: URL;
  heapMb: number;
  /** The answers to requests that took too much time or memory. */
  tooLong: A;
  tooLarge: A;
}

export interface Request<Q> {
  request: Q;
  transfer: Transferable[];
  /** Processor time in ms. By the clock a request may take `longestWait` times as long. */
  deadlineMs: number;
}

/** A thread that does one request at a time. A request that takes too much time or memory ends the thread. */
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
        // An idle thread does not keep the process alive.
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

    /** The request under way rejects with `reason`. */
    async close(reason: Error): Promise<void> {
      current?.stop.abort(reason);
      await current?.worker.terminate();
    },
  };
}

/** Threads share the compile cache of the process. */
function compileCache(): Record<string, string> {
  // Without the folder of the version, which Node.js adds itself.
  const own = getCompileCacheDir();
  return own ? { NODE_COMPILE_CACHE: dirname(own) } : {};
}

const longestWait = 5;

/** Calls `late` after `deadlineMs` of processor time, or `longestWait` times that by the clock. */
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

/** In ms; infinite before Node.js 24.6, and for a thread that has ended. */
async function usedSince(worker: Worker, before?: Promise<NodeJS.CpuUsage | undefined>): Promise<number> {
  const [from, to] = await Promise.all([before, worker.cpuUsage?.().catch(() => undefined)]);
  return from && to ? (to.user + to.system - from.user - from.system) / 1_000 : Number.POSITIVE_INFINITY;
}
