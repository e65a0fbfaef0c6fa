import { unavailable } from '@sluice/shared/errors.ts';
import { createFairQueue, type QueueLimits } from '@sluice/shared/threads/fair-queue.ts';

export interface GateOptions {
  /** How much is under way at once. */
  atOnce: number;
  limits: QueueLimits;
  /** What has waited longer when its turn comes is refused: its client has given up, or soon will. */
  waitingMs: number;
  /** Of what there is too much, for the message. */
  what: string;
}

interface Waiting {
  since: number;
  enter(): void;
  refuse(error: Error): void;
}

/** Lets so much be under way at once; the rest waits, and clients have turns. Rejects with a 503 when too much waits, or it waited too long. */
export function createGate({ atOnce, limits, waitingMs, what }: GateOptions) {
  const waiting = createFairQueue<Waiting>(limits);
  const tooMany = () => unavailable(`too many ${what} at once`, 1);
  let inside = 0;

  function admit(): void {
    while (inside < atOnce) {
      const next = waiting.take();
      if (!next) return;
      if (performance.now() - next.since > waitingMs) {
        next.refuse(tooMany());
        continue;
      }
      inside += 1;
      next.enter();
    }
  }

  return async function pass<T>(client: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter, refuse) => {
      if (waiting.push(client, { since: performance.now(), enter, refuse })) admit();
      else refuse(tooMany());
    });
    try {
      return await work();
    } finally {
      inside -= 1;
      admit();
    }
  };
}
