import { useSyncExternalStore } from 'react';

const slowMs = 5_000;
/** Questions say themselves that they take long. */
const isQuestion = ({ url }: Request) => url.endsWith('/query');

let slow = 0;
const listeners = new Set<() => void>();

function add(count: number): void {
  slow += count;
  for (const listener of listeners) listener();
}

/** Notes a request that has no answer after five seconds, until it has one. */
export async function noteSlow(request: Request, answer: Promise<Response>): Promise<Response> {
  if (isQuestion(request)) return answer;
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    add(1);
  }, slowMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    if (isSlow) add(-1);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a request has waited for five seconds. */
export const useIsSlow = (): boolean => useSyncExternalStore(subscribe, () => slow > 0);
