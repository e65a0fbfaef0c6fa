import { getPriority, setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/** The main thread and the database go first. */
const backgroundPriority = 10;

/**
 * Answers the requests of ./thread.ts in this thread, one at a time. An error of `answer` ends the thread.
 * `transfer` picks the parts of an answer that are handed over, not copied.
 */
export function serve<Q, A>(
  answer: (request: Q) => A | Promise<A>,
  transfer: (answer: A) => Transferable[] = () => [],
): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  // Only Linux has priorities of threads; elsewhere this would change the whole process. Nobody may raise their own.
  if (process.platform === 'linux' && getPriority() < backgroundPriority) setPriority(backgroundPriority);
  port.on('message', async (request: Q) => {
    const own = await answer(request);
    port.postMessage(own, transfer(own));
  });
  port.postMessage('ready');
}
