import { useCallback, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { toParams, toView, type View } from './view.ts';

type Place = Pick<View, 'after' | 'start'>;

const firstPage: Place = { after: undefined, start: 0 };

/** What the history of the browser keeps beside an address. */
interface Memory {
  /** The pages before, the first page first. */
  trail?: Place[];
  /** Whether Back closes the entry. */
  isOpened?: boolean;
}

/** Whether the entries stay the same. */
const keepsPage = (some: Partial<View>) => 'columns' in some || 'by' in some;

/** The view of the address, and what changes it. */
export function useView() {
  const { search, state } = useLocation();
  const navigate = useNavigate();
  const view = useMemo(() => toView(new URLSearchParams(search)), [search]);
  const memory = state as Memory | null;
  const go = useCallback(
    (some: Partial<View>, kept: Memory = {}, replace = false) =>
      void navigate(
        { search: toParams({ ...view, ...some }).toString() },
        { state: kept, replace, preventScrollReset: true, flushSync: true },
      ),
    [navigate, view],
  );
  const trail = memory?.trail ?? [];
  return {
    view,
    /** Another selection or order begins at its first page. */
    change: (some: Partial<View>) =>
      keepsPage(some) ? go(some, { trail }) : go({ ...firstPage, entry: undefined, ...some }),
    toNext: (place: Place) => go(place, { trail: [...trail, { after: view.after, start: view.start }] }),
    /** The page before; of an address from elsewhere, the first page. */
    toPrevious: () => go(trail.at(-1) ?? firstPage, { trail: trail.slice(0, -1) }),
    /** Opens the entry; the one beside it replaces it. */
    open: (entry: string) =>
      go({ entry }, { trail, isOpened: !view.entry || !!memory?.isOpened }, !!view.entry),
    close: () => (memory?.isOpened ? void navigate(-1) : go({ entry: undefined }, { trail }, true)),
  };
}

export type ViewActions = ReturnType<typeof useView>;
