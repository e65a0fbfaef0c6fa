import { ApiError } from '@sluice/shared/errors.ts';
import { PageTooLarge } from '@sluice/store/entries/read-page.ts';
import type { EntryPage } from '../entries/contract.ts';
import { toCursor } from './cursor.ts';

interface Place {
  start: number;
  limit: number;
  total: number;
  /** Where to go on after the last page, if anywhere. */
  end?: string | undefined;
}

/** The items of a page, and where it is. One more than `limit` is found where there is another page. */
export function toPage<Item extends { id: string }>(found: Item[], { start, limit, total, end }: Place) {
  const isLast = found.length <= limit;
  const items = found.slice(0, limit);
  const cursor = isLast ? end : items.at(-1)?.id;
  const pagination: EntryPage['pagination'] = {
    limit,
    current: start,
    previous: Math.max(start - limit, 0),
    next: isLast ? start : start + limit,
    total,
    isLast,
    ...(cursor && { cursor: toCursor(cursor) }),
  };
  return { items, pagination };
}

/** 400 for a page that has too many bytes of `what`; throws what else there is. */
export function answerTooLarge(cause: unknown, what: string): never {
  if (!(cause instanceof PageTooLarge)) throw cause;
  const message = `these ${what} are too large for one page: take limit=${cause.fitting}`;
  throw new ApiError('InvalidRequestError', message, { cause });
}
