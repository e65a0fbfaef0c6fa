import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/** Such a thread gets what the process's own thread and the database leave. */
const backgroundPriority = 10;

/**
 * Makes this file's thread answer the requests of ./thread.ts, one at a time. What `answer` throws ends the thread. What
 * `transfer` picks from an answer is handed over, not copied.
 */
export function serve<Q, A>(
  answer: (request: Q) => A,
  transfer: (answer: A) => Transferable[] = () => [],
): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  // Only Linux has a priority for a thread; elsewhere this would be the whole process.
  if (process.platform === 'linux') setPriority(backgroundPriority);
  port.on('message', (request: Q) => {
    const own = answer(request);
    port.postMessage(own, transfer(own));
  });
  port.postMessage('ready');
}
