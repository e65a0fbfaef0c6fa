/** Calls `work` every `ms`, never twice at once, and returns a function that stops it. `work` must not reject. */
export function repeat(ms: number, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const next = () => {
    timer = setTimeout(async () => {
      await work();
      if (!stopped) next();
    }, ms);
    timer.unref();
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
