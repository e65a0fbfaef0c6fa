import { accepts, type Check, type Rules } from './accepts.ts';
import { Seen } from './seen.ts';

/** Checks of keywords that apply other schemas to the same value. What a part that conforms has evaluated counts. */

export function allOf(parts: Rules[]): Check<unknown> {
  return (value, seen) => {
    for (const part of parts) if (!accepts(part, value, seen)) return false;
    return true;
  };
}

export function anyOf(parts: Rules[]): Check<unknown> {
  return (value, seen) => {
    let conforms = false;
    for (const part of parts) {
      const own = seen && new Seen();
      if (!accepts(part, value, own)) continue;
      if (!own) return true;
      conforms = true;
      seen?.add(own);
    }
    return conforms;
  };
}

export function oneOf(parts: Rules[]): Check<unknown> {
  return (value, seen) => {
    let count = 0;
    for (const part of parts) {
      const own = seen && new Seen();
      if (!accepts(part, value, own)) continue;
      count += 1;
      if (count > 1) return false;
      if (own) seen?.add(own);
    }
    return count === 1;
  };
}

export const not =
  (part: Rules): Check<unknown> =>
  (value) =>
    !accepts(part, value, undefined);

export function ifThenElse(condition: Rules, then: Rules, otherwise: Rules): Check<unknown> {
  return (value, seen) => {
    const own = seen && new Seen();
    if (!accepts(condition, value, own)) return accepts(otherwise, value, seen);
    if (own) seen?.add(own);
    return accepts(then, value, seen);
  };
}
