import { useState } from 'react';

const none = { place: '', ids: new Set<string>(), isAll: false };

/** The entries of a page whose boxes are checked, or all that are selected. Another page, named by `place`, begins without any. */
export function useMarked(place: string) {
  const [kept, setKept] = useState(none);
  const { ids, isAll } = kept.place === place ? kept : none;
  const set = (ids: Set<string>, isAll = false) => setKept({ place, ids, isAll });
  return {
    ids: [...ids],
    /** Not only those of the page. */
    isAll,
    has: (id: string) => ids.has(id),
    toggle: (id: string) => set(ids.has(id) ? ids.difference(new Set([id])) : new Set([...ids, id])),
    set: (some: string[]) => set(new Set(some)),
    setAll: () => set(ids, true),
  };
}

export type Marked = ReturnType<typeof useMarked>;
