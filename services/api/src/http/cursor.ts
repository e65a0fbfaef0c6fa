import { ApiError } from '@sluice/shared/errors.ts';

/** The place of a page's last item, in hexadecimal digits, as clients get it. */
export const toCursor = (place: string) => Buffer.from(place, 'hex').toString('base64url');

/** The place that a cursor names, of so many bytes. Throws ApiError when it is none that `toCursor` made. */
export function fromCursor(cursor: string, length: number): string {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === length && bytes.toString('base64url') === cursor) return bytes.toString('hex');
  const details = [
    { in: 'querystring' as const, path: '/after', keyword: 'cursor', message: 'is not a cursor' },
  ];
  throw new ApiError('InvalidRequestError', '`after` is not a cursor of a page', { details });
}
