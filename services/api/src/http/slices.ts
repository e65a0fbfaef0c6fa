import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';

/** After this time other requests go first. After a step above `longMs`, they get as much time as it took. */
const sliceMs = 2;
const longMs = 10;

/** Divides work of the main thread, so that other requests need not wait for its end. */
export function createSlices() {
  let began = performance.now();

  /** Call after other requests have run. */
  function restart(): void {
    began = performance.now();
  }

  return {
    restart,

    /** Call before each step. Undefined within a slice: a promise per step would cost too much. */
    rest(): Promise<void> | undefined {
      const used = performance.now() - began;
      if (used <= sliceMs) return undefined;
      return (used > longMs ? pause(used) : breathe()).then(restart);
    },
  };
}
