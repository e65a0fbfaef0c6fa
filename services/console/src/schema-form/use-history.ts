import { useRef, useState } from 'react';
import { type History, redo, undo, write } from './history.ts';

/** Typing without a longer pause is one step. */
const pauseMs = 1_000;

/** The steps of a value that is kept elsewhere: `become` sets it. */
export function useHistory<T>(now: T, become: (next: T) => void) {
  const [{ past, future }, setSteps] = useState<Pick<History<T>, 'past' | 'future'>>({
    past: [],
    future: [],
  });
  const typed = useRef({ place: '', at: 0 });
  const known: History<T> = { past, now, future };
  function go(next: History<T>) {
    setSteps(next);
    if (next.now !== now) become(next.now);
  }
  return {
    /** `place`: where is typed. Steps at one place follow each other without a pause. */
    write(next: T, place = '') {
      const at = Date.now();
      const continues = place !== '' && place === typed.current.place && at - typed.current.at < pauseMs;
      typed.current = { place, at };
      go(write(known, next, continues));
    },
    undo() {
      typed.current.place = '';
      go(undo(known));
    },
    redo() {
      typed.current.place = '';
      go(redo(known));
    },
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    /** Changes what undo and redo lead to. */
    map: (change: (step: T) => T) =>
      setSteps((steps) => ({ past: steps.past.map(change), future: steps.future.map(change) })),
  };
}

export type UndoSteps = Pick<ReturnType<typeof useHistory>, 'undo' | 'redo' | 'canUndo' | 'canRedo'>;
