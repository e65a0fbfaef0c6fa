/** The deadline is over; the work may still succeed. */
export class DeadlineError extends Error {}

/**
 * Rejects with DeadlineError(`message`) if `work` takes longer than `ms`. The work itself goes on.
 *
 * After a pause of the process, an answer that arrived during the pause still counts.
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
