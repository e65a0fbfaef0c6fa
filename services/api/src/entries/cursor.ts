import { ApiError } from '@sluice/shared/errors.ts';
import { type EntryId, isEntryId } from '@sluice/store/entries/entry-id.ts';

export const toCursor = (id: EntryId) => Buffer.from(id, 'hex').toString('base64url');

/** The refusal of what `after` holds. */
export function notACursor(): ApiError {
  const details = [
    { in: 'querystring' as const, path: '/after', keyword: 'cursor', message: 'is not a cursor' },
  ];
  return new ApiError('InvalidRequestError', 'querystring/after is not a cursor of a page', { details });
}

/** Throws when it is none that `toCursor` made. */
export function fromCursor(cursor: string): EntryId {
  const id = Buffer.from(cursor, 'base64url').toString('hex');
  if (!isEntryId(id) || toCursor(id) !== cursor) throw notACursor();
  return id;
}
