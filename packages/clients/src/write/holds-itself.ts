import type { RecordType } from '../schema/model.ts';

/** Whether a record lies in itself, other than in a list or a map. Such a type has no size. */
export function createHoldsItself() {
  const reached = new Map<RecordType, Set<RecordType>>();

  function within(record: RecordType): Set<RecordType> {
    const known = reached.get(record);
    if (known) return known;
    const found = new Set<RecordType>();
    const todo = [record];
    for (let next = todo.pop(); next; next = todo.pop())
      for (const { value } of next.fields)
        if (value.kind === 'record' && !found.has(value.record)) {
          found.add(value.record);
          todo.push(value.record);
        }
    reached.set(record, found);
    return found;
  }

  /** `inner` is a field of `outer`. */
  return (outer: RecordType, inner: RecordType): boolean => within(inner).has(outer);
}
