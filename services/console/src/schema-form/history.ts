/** What was edited, with what undo and redo lead to. */
export interface History<T> {
  past: T[];
  now: T;
  future: T[];
}

/** A text of some 100 KB is kept for each step. */
const mostSteps = 500;

/** A step that continues the one before it is undone with it. Writing what is there already is no step. */
export function write<T>({ past, now, future }: History<T>, next: T, continues = false): History<T> {
  if (next === now) return { past, now, future };
  const before = continues && past.length > 0 ? past : [...past, now].slice(-mostSteps);
  return { past: before, now: next, future: [] };
}

export function undo<T>({ past, now, future }: History<T>): History<T> {
  if (past.length === 0) return { past, now, future };
  return { past: past.slice(0, -1), now: past.at(-1) as T, future: [now, ...future] };
}

export function redo<T>({ past, now, future }: History<T>): History<T> {
  if (future.length === 0) return { past, now, future };
  return { past: [...past, now], now: future[0] as T, future: future.slice(1) };
}
