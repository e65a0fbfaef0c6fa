/** For one Ctrl-C, npm and the terminal each send a signal within this time. */
const sameRequestMs = 500;

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, and rejects at an uncaught error.
 * A second signal ends this process at once, and (on 'exit') all that it started.
 */
export function stopRequest(log: (line: string) => void): Promise<void> {
  let first: number | undefined;
  // Writing to a closed terminal fails, which must not interrupt the stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return new Promise((resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now();
          log('Stopping (once more to stop at once)');
          resolve();
        } else if (performance.now() - first > sameRequestMs) {
          process.exit(130);
        }
      });
    }
    process.on('uncaughtException', reject);
  });
}
