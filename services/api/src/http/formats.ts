import { ApiError } from '@sluice/shared/errors.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import { suitsBcrypt } from '@sluice/store/accounts/credentials.ts';
import type { Period } from '@sluice/store/entries/entries.ts';

/** `from` and `to` of a validated request as dates. Throws ApiError if they are in the wrong order. */
export function toPeriod({ from, to }: { from?: string; to?: string }): Period {
  const toDate = (text?: string) => (text === undefined ? undefined : new Date(parseTimestamp(text)));
  const period = { from: toDate(from), to: toDate(to) };
  if (period.from && period.to && period.from > period.to)
    throw new ApiError('InvalidRequestError', 'from is later than to');
  return period;
}

/** A URL as browsers write it: `http:x` becomes `http://x/`. Undefined for other protocols, and for long URLs. */
export function toPackageUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url && isHttp && url.href.length <= 2_000 ? url.href : undefined;
}

/** Whether browsers send exactly this text in the header `Origin`. */
const isOrigin = (text: string) =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text && !text.includes('*');

interface Format {
  takes(text: string): boolean;
  says: string;
}

/** Formats of fields, besides those of JSON Schema. */
export const formats: Record<string, Format> = {
  'iso-timestamp': {
    takes: (text) => !Number.isNaN(parseTimestamp(text)),
    says: 'must be an ISO 8601 timestamp such as 2026-11-21T04:00:00Z (in a URL, + is written %2B)',
  },
  'package-url': {
    takes: (text) => toPackageUrl(text) !== undefined,
    says: 'must be an http or https URL of at most 2000 characters',
  },
  origin: {
    takes: isOrigin,
    says: 'must be an origin such as https://example.com: lower case, no path, no default port',
  },
  'bcrypt-password': { takes: suitsBcrypt, says: 'must have at most 72 bytes of UTF-8, and no NUL' },
};
