/** The work was not done in time; whether it will be is not known. */
export class DeadlineError extends Error {}

/**
 * Rejects with DeadlineError(`message`) when `work` has not settled after `ms`. The work itself goes on. Where the process
 * stood still, an answer that arrived meanwhile is read first.
 */
export async function within<T>(ms: number, message: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new DeadlineError(message))), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
