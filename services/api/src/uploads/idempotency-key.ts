import { idempotencyKeyPattern } from '@sluice/shared/contracts/entries.ts';
import { ApiError } from '@sluice/shared/errors.ts';

const form = new RegExp(idempotencyKeyPattern);

/** The value of the header `Idempotency-Key`, as the API's description has it. Throws ApiError. */
export function idempotencyKey(given: string | undefined): string | undefined {
  if (given === undefined || form.test(given)) return given;
  const message = 'must be 1 to 128 visible ASCII characters';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'pattern', message }],
  });
}
