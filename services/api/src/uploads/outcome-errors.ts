import { ApiError, notConfirmed, unavailable } from '@sluice/shared/errors.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';

/** What the client is told when an entry was not stored, or not certainly; undefined when it is. */
export function outcomeError(outcome: Outcome): ApiError | undefined {
  if (outcome === 'stored' || outcome === 'repeated') return undefined;
  if (outcome === 'conflicting') {
    return new ApiError(
      'ResourceConflictError',
      'this Idempotency-Key was used for another payload; nothing was stored',
    );
  }
  return outcome === 'refused'
    ? unavailable('the database did not take the entry; nothing was stored')
    : unavailable(notConfirmed);
}
