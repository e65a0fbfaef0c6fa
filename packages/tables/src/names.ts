import { fromPointer } from '@sluice/json/pointer.ts';

/**
 * Names columns by their JSON Pointers, one after the other: the keys joined by dots; where that is taken, is nothing, or could
 * be taken for a pointer or an escaped name, the pointer itself. What is `taken` may begin with / only if it is a pointer too.
 */
export function createNames(taken: Iterable<string>): (pointer: string) => string {
  const names = new Set(taken);
  return (pointer) => {
    const dotted = fromPointer(pointer).join('.');
    const name = names.has(dotted) || /^(?:[/']|$)/.test(dotted) ? pointer : dotted;
    names.add(name);
    return name;
  };
}

/** The name for all that has no name of its own, beside others. Readers tell names apart without regard to case. */
export function restName(others: Iterable<string>): string {
  const taken = new Set(Array.from(others, (name) => name.toLowerCase()));
  let name = '_extra';
  while (taken.has(name)) name += '_';
  return name;
}
