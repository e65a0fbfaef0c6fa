/** Preloaded into a server. It answers each message with its memory, after a garbage collection with --expose-gc. */
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
