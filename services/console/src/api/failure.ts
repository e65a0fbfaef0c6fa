import { words } from '../words/en.ts';
import type { components } from './description.d.ts';

export type FailureDetail = components['schemas']['ErrorDetail'];

/** What the API says went wrong, or why it said nothing. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  /** Of the answer; 0 where none came. */
  readonly status: number;
  /** Name of the error, such as `ResourceNotFoundError`. */
  readonly kind: string;
  readonly details: FailureDetail[];
  readonly requestId: string | undefined;

  constructor(message: string, given: Partial<Omit<ApiFailure, keyof Error>> = {}) {
    super(message);
    this.status = given.status ?? 0;
    this.kind = given.kind ?? 'Unreachable';
    this.details = given.details ?? [];
    this.requestId = given.requestId;
  }

  /** What is said of a field of the body, for a message beside it; undefined when nothing is. */
  ofField(field: string): string | undefined {
    return this.details.find(({ in: part, path }) => part === 'body' && path === `/${field}`)?.message;
  }
}

/** The failure that an answer tells. */
export function failureOf(response: Response, body: unknown): ApiFailure {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const { error } = (body ?? {}) as Partial<components['schemas']['Failure']>;
  if (!error?.message) return new ApiFailure(words.errors.unexpected(status), { status, requestId });
  const { name, message, details = [] } = error;
  return new ApiFailure(message, { status, kind: name, details, requestId });
}
