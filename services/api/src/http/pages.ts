import { ApiError } from '@sluice/shared/errors.ts';
import { FilterTimeout } from '@sluice/store/entries/entry-filter.ts';
import { PageTooLarge } from '@sluice/store/entries/read-page.ts';
import type { EntryPage } from '../entries/contract.ts';

/** The place of a page's last item, given in hexadecimal digits. */
export const toCursor = (place: string) => Buffer.from(place, 'hex').toString('base64url');

/** The reverse of `toCursor`; a place has `length` bytes. Throws ApiError. */
export function fromCursor(cursor: string, length: number): string {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === length && bytes.toString('base64url') === cursor) return bytes.toString('hex');
  const details = [
    { in: 'querystring' as const, path: '/after', keyword: 'cursor', message: 'is not a cursor' },
  ];
  throw new ApiError('InvalidRequestError', '`after` is not a cursor of a page', { details });
}

interface Place {
  start: number;
  limit: number;
  total: number;
  /** The cursor of the last page, in hexadecimal digits; undefined for none. */
  end?: string | undefined;
}

/** The items of a page, and its pagination. `found` has one item more than `limit` if there is another page. */
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

/** Answers 400 if a filter took too long, or a page is too large. Rethrows other errors. */
export const refuseTooMuch =
  (what: 'entries' | 'uploads') =>
  (cause: unknown): never => {
    if (cause instanceof FilterTimeout) {
      const message = `the filter took longer than ${cause.limitMs / 1_000} s: narrow it with from and to`;
      throw new ApiError('InvalidRequestError', message, { cause });
    }
    if (!(cause instanceof PageTooLarge)) throw cause;
    const message = `these ${what} are too large for one page: take limit=${cause.fitting}`;
    throw new ApiError('InvalidRequestError', message, { cause });
  };
