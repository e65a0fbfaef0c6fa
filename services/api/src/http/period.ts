import { ApiError } from '@sluice/shared/errors.ts';
import type { Period } from '@sluice/store/entries/entries.ts';
import { parseTimestamp } from './validation.ts';

/** `from` and `to` of a request, already validated, as dates. */
export function toPeriod({ from, to }: { from?: string; to?: string }): Period {
  const period = {
    from: from === undefined ? undefined : new Date(parseTimestamp(from)),
    to: to === undefined ? undefined : new Date(parseTimestamp(to)),
  };
  if (period.from && period.to && period.from > period.to) {
    throw new ApiError('InvalidRequestError', 'from is later than to');
  }
  return period;
}
