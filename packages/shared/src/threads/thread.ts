import { type Transferable, Worker } from 'node:worker_threads';
import { createFairQueue, type QueueLimits } from './fair-queue.ts';
import type { ThreadMessage } from './serve.ts';

/** Too much waits for the thread, or too much of this client, or this has waited too long: nothing was begun. */
export class ThreadBusy extends Error {}

export interface ThreadOptions<A> {
  /** The file it runs, which calls `serve`. */
  file: URL;
  /** Processor time of one request, in ms; a thread that has to share the processor has so many times as long. */
  deadlineMs: number;
  heapMb: number;
  limits: QueueLimits;
  /** What has waited longer when its turn comes is rejected: its client has given up, or soon will. */
  waitingMs?: number;
  /** The answers to a request that passed the deadline or the heap. */
  tooLong: A;
  tooLarge: A;
  /** Completes "… is closed". */
  name: string;
}

interface Sent {
  transfer?: Transferable[];
  /** What it counts for the limits. */
  weight?: number;
  /** In place of the thread's own. */
  deadlineMs?: number;
}

export interface Thread<Q, A> {
  /** Clients have turns. Rejects with ThreadBusy, or when the thread is closed or cannot start. */
  ask(client: string, request: Q, sent?: Sent): Promise<A>;
  /** Requests that are not answered. */
  pending(): number;
  close(): Promise<void>;
}

interface Job<Q, A> {
  request: Q;
  transfer: Transferable[];
  deadlineMs: number;
  since: number;
  resolve(answer: A): void;
  reject(error: Error): void;
}

const longestWait = 5;

/**
 * Work that takes long, in a thread of low priority, one request at a time. It starts at the first need, does not keep the
 * process alive, and is ended and replaced when a request passes the deadline or the heap.
 */
export function createThread<Q, A>(options: ThreadOptions<A>): Thread<Q, A> {
  const { file, heapMb, limits, waitingMs = Number.POSITIVE_INFINITY, name } = options;
  const waiting = createFairQueue<Job<Q, A>>(limits);
  const isClosed = () => new Error(`${name} is closed`);
  let worker: Worker | undefined;
  let ready = false;
  let closed = false;
  let current: (Job<Q, A> & { id: number; timer?: NodeJS.Timeout }) | undefined;
  let lastId = 0;

  return { ask, pending: () => waiting.size() + (current ? 1 : 0), close };

  function ask(
    client: string,
    request: Q,
    { transfer = [], weight, deadlineMs = options.deadlineMs }: Sent = {},
  ): Promise<A> {
    if (closed) return Promise.reject(isClosed());
    return new Promise((resolve, reject) => {
      const job = { request, transfer, deadlineMs, since: performance.now(), resolve, reject };
      if (waiting.push(client, job, weight)) next();
      else reject(new ThreadBusy());
    });
  }

  /** The next job that has not waited too long. */
  function take(): Job<Q, A> | undefined {
    for (let job = waiting.take(); job; job = waiting.take()) {
      if (performance.now() - job.since <= waitingMs) return job;
      job.reject(new ThreadBusy());
    }
    return undefined;
  }

  function next(): void {
    if (closed || current) return;
    if (waiting.size() > 0) {
      worker ??= start();
      worker.ref();
      // The start of a thread is not the request's time.
      if (!ready) return;
    }
    const job = take();
    if (!worker || !job) {
      worker?.unref();
      return;
    }
    current = { ...job, id: ++lastId };
    void watch(worker, current);
    worker.postMessage({ id: current.id, request: job.request }, job.transfer);
  }

  /** Ends the thread when the request has had its time: by the processor's clock, where Node.js tells it. */
  async function watch(
    running: Worker,
    { id, deadlineMs }: { id: number; deadlineMs: number },
  ): Promise<void> {
    const began = performance.now();
    const before = running.cpuUsage?.();
    // The thread may end before it answers.
    before?.catch(() => undefined);
    const isUnderWay = () => current?.id === id;
    const look = async () => {
      const usedMs = await usedSince(running, before);
      if (!isUnderWay()) return;
      const isOver = usedMs >= deadlineMs || performance.now() - began >= longestWait * deadlineMs;
      if (isOver) replace(options.tooLong);
      else wait(Math.max(1, deadlineMs - usedMs));
    };
    const wait = (ms: number) => {
      if (current) current.timer = setTimeout(look, ms);
    };
    wait(deadlineMs);
  }

  function start(): Worker {
    const started = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
      env: {},
      execArgv: [],
    });
    started.on('message', (message: ThreadMessage) => started === worker && receive(message));
    started.on('error', (error: NodeJS.ErrnoException) => started === worker && fail(error));
    return started;
  }

  function receive(message: ThreadMessage): void {
    if ('ready' in message) ready = true;
    else if (message.id === current?.id) finish(message.answer as A);
    next();
  }

  function fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      replace(options.tooLarge);
      return;
    }
    const failed = current ?? waiting.take();
    clearTimeout(current?.timer);
    current = undefined;
    replace();
    failed?.reject(error);
  }

  function finish(answer: A): void {
    clearTimeout(current?.timer);
    current?.resolve(answer);
    current = undefined;
  }

  function replace(answer?: A): void {
    const ended = worker;
    worker = undefined;
    ready = false;
    if (answer !== undefined) finish(answer);
    void ended?.terminate();
    next();
  }

  async function close(): Promise<void> {
    closed = true;
    const left = current ? [current as Job<Q, A>] : [];
    for (let job = waiting.take(); job; job = waiting.take()) left.push(job);
    clearTimeout(current?.timer);
    current = undefined;
    await worker?.terminate();
    for (const job of left) job.reject(isClosed());
  }
}

/** Milliseconds; what the clock on the wall says where Node.js is older than 24.6. */
async function usedSince(worker: Worker, before: Promise<NodeJS.CpuUsage> | undefined): Promise<number> {
  if (!before) return Number.POSITIVE_INFINITY;
  try {
    const [from, to] = await Promise.all([before, worker.cpuUsage()]);
    return (to.user + to.system - from.user - from.system) / 1_000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
