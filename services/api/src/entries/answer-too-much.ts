import { ApiError } from '@sluice/shared/errors.ts';
import { FilterTimeout } from '@sluice/store/entries/entry-filter.ts';
import { answerTooLarge } from '../http/pages.ts';

/** Throws ApiError for a filter that took too long and for a page that is too large. Rethrows any other error. */
export function answerTooMuch(cause: unknown): never {
  if (cause instanceof FilterTimeout) {
    const message = `the filter took longer than ${cause.limitMs / 1_000} s: narrow it with from and to`;
    throw new ApiError('InvalidRequestError', message, { cause });
  }
  return answerTooLarge(cause, 'entries');
}
