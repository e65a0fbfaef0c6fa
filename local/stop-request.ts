/** What npm and a terminal send twice for one Ctrl-C arrives within this time. */
const sameRequestMs = 500;

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP; rejects at an error that nobody caught.
 * A second request ends this process at once, and with it (on 'exit') all it has started.
 */
export function stopRequest(log: (line: string) => void): Promise<void> {
  let first: number | undefined;
  // The terminal may be gone, with it the place to write to: that must not end an orderly stop.
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
