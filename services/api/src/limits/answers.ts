import { ApiError } from '@sluice/shared/errors.ts';

/** Whole seconds, at least one, for a header or a message. */
export const toSeconds = (ms: number) => String(Math.max(1, Math.ceil(ms / 1_000)));

/** What a limited route says in every answer. */
export function rateHeaders(limit: number, remaining: number, resetMs: number): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, remaining)),
    'ratelimit-reset': toSeconds(resetMs),
  };
}

/** 429 with the time after which a retry makes sense. */
export function tooMany(message: string, retryAfterMs: number, headers?: Record<string, string>): ApiError {
  return new ApiError('TooManyRequestsError', message, {
    headers: { ...headers, 'retry-after': toSeconds(retryAfterMs) },
  });
}

/** 429 for an owner who has as much as there may be. */
export const quotaReached = (message: string) => tooMany(message, 60_000);
