import { setTimeout as pause } from 'node:timers/promises';

interface Repeated {
  /** Begins the sentence that tells a failure. */
  what: string;
  /** How long to wait after a failure. */
  retryMs: number;
  console: Pick<Console, 'error'>;
}

/** Takes one step after the other, for ever. A step says how many ms to wait before the next one. */
export async function forever(
  { what, retryMs, console }: Repeated,
  step: () => Promise<number>,
): Promise<never> {
  for (;;) {
    const waitMs = await step().catch((error: Error) => {
      console.error(`${what} failed: ${error.message}. It is tried again`);
      return retryMs;
    });
    await pause(waitMs);
  }
}
