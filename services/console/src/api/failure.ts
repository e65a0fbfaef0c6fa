import { words } from '../words/en.ts';
import type { components } from './description.d.ts';

type FailureDetail = components['schemas']['ErrorDetail'];

/** A failure that the API reports, or the reason why there is no answer. */
export class RequestFailure extends Error {
  override name = 'RequestFailure';
  /** 0 without an answer. */
  readonly status: number = 0;
  /** Name of the error, such as `ResourceNotFoundError`. */
  readonly kind: string = 'Unreachable';
  readonly details: FailureDetail[] = [];
  readonly requestId: string | undefined;

  constructor(message: string, given: Partial<Omit<RequestFailure, keyof Error>> = {}) {
    super(message);
    Object.assign(this, given);
  }
}

/** The message about a place in the body, such as `/name`, or below it; else undefined. */
export function faultAt(failure: Error | null, place: string): string | undefined {
  const details = failure instanceof RequestFailure ? failure.details : [];
  const isThere = (path: string) => path === place || path.startsWith(`${place}/`);
  return details.find(({ in: part, path }) => part === 'body' && isThere(path))?.message;
}

/** Tells wrong credentials at a field of the form: the API names no place for them. */
export const tellAt =
  (path: string, message: string) =>
  (error: Error): never => {
    if (!(error instanceof RequestFailure && error.kind === 'InvalidCredentialsError')) throw error;
    throw new RequestFailure(message, { details: [{ in: 'body', path, keyword: 'wrong', message }] });
  };

/** Whether a password is right, and the user has a second factor. */
export const needsCode = (error: unknown): boolean =>
  error instanceof RequestFailure && error.kind === 'SecondFactorRequiredError';

export function failureOf(response: Response, body: unknown): RequestFailure {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const { error } = (body ?? {}) as Partial<components['schemas']['Failure']>;
  if (!error?.message) return new RequestFailure(words.errors.unexpected(status), { status, requestId });
  const { name, message, details = [] } = error;
  return new RequestFailure(message, { status, kind: name, details, requestId });
}
