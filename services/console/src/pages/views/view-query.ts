import { boundsOf } from '../entries/period.ts';
import { toParams, type View } from '../entries/view.ts';
import { toPlain } from './plain-query.ts';

/** What a view keeps of the page of entries: not its page, its open entry and whether it is live. */
export const toSaved = (view: View): string => toPlain(toParams(view));

/** The query of a link that shows the same later: with fixed times, up to now. */
export function toFixed(view: View, now: number): string {
  const { from, to = new Date(now).toISOString() } = boundsOf(view, now);
  return toParams({ ...view, from, to, isLive: false }).toString();
}
