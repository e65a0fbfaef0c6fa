import { fromPointer } from '@sluice/json/pointer.ts';

/**
 * Names columns: the keys joined by dots, such as `address.city`. If that name is taken, empty, or looks like a pointer
 * or an escaped name, the JSON Pointer is the name. A `taken` name that begins with / must be a pointer too.
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

/** The name of the column for all other fields. Some readers ignore the case of names. */
export function restName(others: Iterable<string>): string {
  const taken = new Set(Array.from(others, (name) => name.toLowerCase()));
  let name = '_extra';
  while (taken.has(name)) name += '_';
  return name;
}
