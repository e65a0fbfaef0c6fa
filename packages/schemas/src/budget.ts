export class OutOfSteps extends Error {}

let left = Number.POSITIVE_INFINITY;

/** Takes steps from those that `withSteps` allows; elsewhere they are free. Throws OutOfSteps when none are left. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new OutOfSteps();
}

/** Allows what `run` does at once so many steps. */
export function withSteps<Result>(steps: number, run: () => Result): Result {
  const before = left;
  left = steps;
  try {
    return run();
  } finally {
    left = before;
  }
}
