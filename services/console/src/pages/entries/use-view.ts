import { useCallback, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { toParams, toView, type View } from './view.ts';

/** What the history of the browser keeps beside an address. */
interface Memory {
  /** The cursors of the pages before, the first page first. */
  trail?: (string | undefined)[];
  /** Whether Back closes the entry. */
  isOpened?: boolean;
}

const turnsPages = (some: Partial<View>) => 'after' in some || 'entry' in some || 'columns' in some;

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
      turnsPages(some) ? go(some, { trail }) : go({ after: undefined, entry: undefined, ...some }),
    toOlder: (after: string) => go({ after }, { trail: [...trail, view.after] }),
    /** The page before; of an address from elsewhere, the first page. */
    toNewer: () => go({ after: trail.at(-1) }, { trail: trail.slice(0, -1) }),
    /** Opens the entry; the one beside it replaces it. */
    open: (entry: string) =>
      go({ entry }, { trail, isOpened: !view.entry || !!memory?.isOpened }, !!view.entry),
    close: () => (memory?.isOpened ? void navigate(-1) : go({ entry: undefined }, { trail }, true)),
  };
}

export type ViewActions = ReturnType<typeof useView>;
