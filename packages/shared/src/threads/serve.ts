import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

export type ThreadMessage = { ready: true } | { id: number; answer: unknown };

/** Such a thread gets what the process's own thread and the database leave. */
const backgroundPriority = 5;

/** Makes this file's thread answer the requests of ./thread.ts, one at a time. What `answer` throws ends the thread. */
export function serve<Q, A>(answer: (request: Q) => A): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  // Only Linux has a priority for a thread; elsewhere this would be the whole process.
  if (process.platform === 'linux') setPriority(backgroundPriority);
  port.on('message', ({ id, request }: { id: number; request: Q }) =>
    port.postMessage({ id, answer: answer(request) } satisfies ThreadMessage),
  );
  port.postMessage({ ready: true } satisfies ThreadMessage);
}
