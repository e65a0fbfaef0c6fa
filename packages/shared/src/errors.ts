/** Every failed answer has one of these names. */
const registry = {
  InvalidRequestError: { status: 400, description: 'A field, path, query or header is missing or wrong.' },
  MalformedBodyError: {
    status: 400,
    description: 'The body cannot be parsed as what its content type says.',
  },
  UnauthorizedRequestError: { status: 401, description: 'This route needs a valid bearer token.' },
  InvalidCredentialsError: { status: 401, description: 'The username or the password is wrong.' },
  SecondFactorRequiredError: {
    status: 401,
    description: 'The password is right, and the user has a second factor: a code is needed too.',
  },
  ForbiddenRequestError: { status: 403, description: 'The caller is not allowed to do this.' },
  RegistrationClosedError: { status: 403, description: 'Registration is not enabled.' },
  ResourceNotFoundError: { status: 404, description: 'The application, user, job or route does not exist.' },
  MethodNotAllowedError: { status: 405, description: 'The path exists, the method does not.' },
  RequestTimeoutError: { status: 408, description: 'The request did not arrive in time.' },
  ResourceConflictError: { status: 409, description: 'The request conflicts with what is stored.' },
  PreconditionFailedError: {
    status: 412,
    description: 'The file is not one that If-Match names, or the version of tus is not taken.',
  },
  PayloadTooLargeError: { status: 413, description: 'The body is over the limit.' },
  UnsupportedMediaTypeError: {
    status: 415,
    description: 'The body is of a content type that the route does not take.',
  },
  RangeNotSatisfiableError: { status: 416, description: 'The range is not within the file.' },
  ExpectationFailedError: { status: 417, description: 'The header Expect asks for what is not offered.' },
  SchemaValidationError: {
    status: 422,
    description: "The upload does not conform to the application's schema.",
  },
  InvalidSchemaError: {
    status: 422,
    description: 'The schema is not a JSON Schema, or not one that is allowed.',
  },
  TooManyRequestsError: {
    status: 429,
    description: 'Your rate, your quota or your share of what the server takes at once is used up.',
  },
  RequestHeaderFieldsTooLargeError: {
    status: 431,
    description: 'The headers of the request are over the limit.',
  },
  InternalServerError: { status: 500, description: 'A defect of the service.' },
  ServiceUnavailableError: {
    status: 503,
    description: 'The work cannot be taken now, or its outcome could not be confirmed.',
  },
} as const;

export type ErrorName = keyof typeof registry;
export const errorNames = Object.keys(registry) as ErrorName[];

export type StatusOf<Name extends ErrorName> = (typeof registry)[Name]['status'];

export const errorOf = (name: ErrorName): { status: number; description: string } => registry[name];

export interface ErrorDetail {
  in?: 'body' | 'querystring' | 'params' | 'headers';
  path: string;
  keyword: string;
  /** The member that the message names, which is missing or must not be there. */
  property?: string;
  message: string;
  /** Of a question's SQL; both count from 1. */
  line?: number;
  column?: number;
}

/** What is wrong with a line of a batch. Lines count from 1. */
export interface LineError {
  line: number;
  name: ErrorName;
  message: string;
  details?: ErrorDetail[];
}

interface Extra {
  details?: ErrorDetail[] | LineError[];
  /** Headers of the answer, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A failure whose `message` the caller sees, so it has no internals and no secrets. */
export class ApiError extends Error {
  declare readonly name: ErrorName;
  readonly status: number;
  readonly description: string;
  readonly details: ErrorDetail[] | LineError[] | undefined;
  readonly headers: Record<string, string>;
  /** The limit that refused the request, such as `rate_uploads`. */
  limit?: string;
  /** Whether the key of an upload was absent or wrong. */
  key?: 'no_key' | 'wrong_key';

  constructor(name: ErrorName, message: string, { details, headers = {}, cause }: Extra = {}) {
    super(message, { cause });
    this.name = name;
    this.status = registry[name].status;
    this.description = registry[name].description;
    this.details = details;
    this.headers = headers;
  }
}

export function unavailable(message: string, retryAfterSeconds = 2, cause?: unknown): ApiError {
  return new ApiError('ServiceUnavailableError', message, {
    headers: { 'retry-after': String(retryAfterSeconds) },
    cause,
  });
}

export function tooMany(
  message: string,
  retryAfterSeconds: number,
  headers?: Record<string, string>,
): ApiError {
  return new ApiError('TooManyRequestsError', message, {
    headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
  });
}

/** Notes the limit that refused a request: metrics count by limit. */
export function byLimit(limit: string, refusal: ApiError): ApiError {
  refusal.limit = limit;
  return refusal;
}

/** The limit, in bytes, holds for a body before and after decompression. */
export const bodyTooLarge = (limit: number) =>
  new ApiError('PayloadTooLargeError', `the body is over the limit of ${limit} bytes; nothing was stored`);

/** Whether a later try may succeed, because a limit refused this one or a store was away. */
export const isBusy = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 429 || error.status === 503);

/** The message for entries that may or may not be stored. */
export const notConfirmed = 'the outcome could not be confirmed by the database';

/** The same answer for an unknown application, a deleted one and another user's. */
export function applicationNotFound(domain: string): ApiError {
  return new ApiError('ResourceNotFoundError', `application ${domain} was not found`);
}
