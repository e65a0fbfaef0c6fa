import { ApiError } from '@sluice/shared/errors.ts';
import { FilterTimeout } from '@sluice/store/entries/entry-filter.ts';
import { PageTooLarge } from '@sluice/store/entries/read-page.ts';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { Capacities } from '../limits/capacity.ts';
import { pageBytes, weighPage } from '../limits/table.ts';
import type { Pagination } from './schemas.ts';

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

interface Range {
  start?: number | undefined;
  limit?: number | undefined;
  /** The place, in hexadecimal digits, after which the page begins. */
  after: string | undefined;
}

/** `limit` is one more than the page has, which shows whether there is another page. */
interface ToRead extends Required<Range> {
  /** Call with the bytes that were read from MongoDB. */
  onRead(bytes: number): void;
}

interface Read<Item> {
  found: Item[];
  total: number;
  /** The cursor of the last page, in hexadecimal digits; undefined for none. */
  end?: string | undefined;
  /** Given where entries of the page may be gone: there is none more than the page has, and `end` is its cursor. */
  isLast?: boolean;
}

/** Reads pages, which count towards their capacity until their answers have gone. */
export function createReadPage(what: 'entries' | 'uploads', { answers }: Pick<Capacities, 'answers'>) {
  /** Throws ApiError if the page takes too much memory or time. */
  return async <Item extends { id: string }>(
    reply: FastifyReply,
    owner: string,
    { start = 0, limit = 100, after }: Range,
    read: (page: ToRead) => Promise<Read<Item>>,
  ) => {
    const lease = answers.lease(reply, owner);
    lease.take(pageBytes);
    const onRead = (bytes: number) => lease.take(weighPage(bytes));
    const page = { start, limit: limit + 1, after, onRead };
    const { found, total, end, isLast } = await lease.during(() => read(page)).catch(refuseTooMuch(what));
    const items = found.slice(0, limit);
    const hasNoMore = isLast ?? found.length <= limit;
    const cursor = hasNoMore || isLast === false ? end : items.at(-1)?.id;
    const pagination = toPagination({ start, limit }, total, hasNoMore);
    return { items, pagination: cursor ? { ...pagination, cursor: toCursor(cursor) } : pagination };
  };
}

/** What an answer says of its page. */
export const toPagination = (
  { start, limit }: Record<'start' | 'limit', number>,
  total: number,
  isLast = start + limit >= total,
): Static<typeof Pagination> => ({
  limit,
  current: start,
  previous: Math.max(start - limit, 0),
  next: isLast ? start : start + limit,
  total,
  isLast,
});

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
