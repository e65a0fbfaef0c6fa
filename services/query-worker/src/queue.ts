import { createFairQueue } from '@sluice/threads/fair-queue.ts';

/** Questions that run at once, and that may wait, of one owner and of all. */
const atOnce = 2;
const waitingOfOwner = 10;
const waitingInAll = 200;

/** Does what only waits while others have the place. */
export type Outside = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** Lets owners ask in turn, so that one with many questions holds nobody else up. */
export function createQueue() {
  const waiting = createFairQueue<() => void>();
  const counts = new Map<string, number>();
  let free = atOnce;

  function count(owner: string, by: 1 | -1): number {
    const next = (counts.get(owner) ?? 0) + by;
    if (next === 0) counts.delete(owner);
    else counts.set(owner, next);
    return next;
  }

  /** Waits for the owner's turn. Leaves the queue, and rejects, as soon as the signal aborts. */
  async function turn(owner: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    function leave(): void {
      waiting.remove(owner, resolve);
      reject(signal.reason);
    }
    waiting.push(owner, resolve);
    signal.addEventListener('abort', leave);
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async function enter(owner: string, signal: AbortSignal): Promise<void> {
    if (free > 0) free -= 1;
    else await turn(owner, signal);
  }

  function leave(): void {
    const next = waiting.take();
    if (next) next();
    else free += 1;
  }

  return {
    waiting: waiting.size,

    /** Does the work when it is the owner's turn. Undefined: too many wait. */
    async run<Result>(
      owner: string,
      signal: AbortSignal,
      work: (outside: Outside) => Promise<Result>,
    ): Promise<Result | undefined> {
      if (waiting.size() >= waitingInAll) return undefined;
      if (count(owner, 1) > waitingOfOwner) {
        count(owner, -1);
        return undefined;
      }
      let hasPlace = false;
      const begin = async () => {
        await enter(owner, signal);
        hasPlace = true;
      };
      const end = () => {
        if (hasPlace) leave();
        hasPlace = false;
      };
      try {
        await begin();
        signal.throwIfAborted();
        return await work(async (wait) => {
          end();
          try {
            return await wait();
          } finally {
            await begin();
          }
        });
      } finally {
        end();
        count(owner, -1);
      }
    },
  };
}
