import {
  ApiError,
  type ErrorDetail,
  type ErrorName,
  notConfirmed,
  unavailable,
} from '@sluice/shared/errors.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ignoreInput } from './connections/lingering.ts';

export function failure({ name, status, description, message, details }: ApiError) {
  return {
    success: false as const,
    status,
    error: { name, description, message, ...(details && { details }) },
  };
}

/** Advice for clients that sent a form by accident. */
function aboutForms(contentType: string): string {
  const type = contentType.trim().toLowerCase();
  if (type.startsWith('multipart/'))
    return '; send the file as the body (`curl -X POST -T file` or `--data-binary @file`), not as a form';
  if (type === 'application/x-www-form-urlencoded')
    return '; set the header Content-Type, as curl sends a form unless told otherwise';
  return '';
}

const frameworkErrors: Record<string, (request: FastifyRequest, error: FastifyError) => ApiError> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new ApiError('MalformedBodyError', 'the body is empty'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('InvalidRequestError', 'the body is not as long as the header Content-Length says'),
  FST_ERR_CTP_BODY_TOO_LARGE: (request) =>
    new ApiError(
      'PayloadTooLargeError',
      `the body is over the limit of ${request.routeOptions.bodyLimit} bytes`,
    ),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (request) => {
    const [given = ''] = (request.headers['content-type'] ?? '').split(';');
    const { takes = 'application/json' } = request.routeOptions.config;
    return new ApiError(
      'UnsupportedMediaTypeError',
      `this route takes ${takes}, not ${given.slice(0, 100) || 'a body without Content-Type'}${aboutForms(given)}`,
    );
  },
  FST_ERR_BAD_URL: () => new ApiError('InvalidRequestError', 'the path is not a valid URL'),
  FST_ERR_MAX_PARAM_LENGTH: (request) => notFound(request),
  FST_STATIC_FORBIDDEN_PATH: (request) => notFound(request),
};

/** The errors of plugins. */
const byStatus: Record<number, ErrorName> = {
  404: 'ResourceNotFoundError',
  408: 'RequestTimeoutError',
  413: 'PayloadTooLargeError',
  416: 'RangeNotSatisfiableError',
};

function notFound(request: FastifyRequest): ApiError {
  const path = (request.raw.url ?? '').split('?')[0] as string;
  const hint = /^\/(api\/?)?$/.test(path) ? '; see /api/docs' : '';
  return new ApiError(
    'ResourceNotFoundError',
    `there is no route ${request.method} ${path.slice(0, 200)}${hint}`,
  );
}

function fromValidation(error: FastifyError): ApiError {
  const details = error.validation as unknown as ErrorDetail[];
  const where = details.map(({ in: part, path, keyword, message }) => {
    if (part !== 'querystring') return `${part}${path} ${message}`;
    return keyword === 'additionalProperties' ? message : `\`${path.slice(1)}\` ${message}`;
  });
  return new ApiError('InvalidRequestError', where.slice(0, 5).join('; '), { details });
}

/** Undefined for a defect of ours. */
function toApiError(error: FastifyError, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error.validation) return fromValidation(error);
  const fault = storeFault(error);
  if (fault === 'away') return unavailable('the database is away; nothing was done', 2, error);
  if (fault === 'unknown') return unavailable(notConfirmed, 2, error);
  const known = frameworkErrors[error.code];
  if (known) return known(request, error);
  const { statusCode = 500 } = error;
  if (statusCode < 400 || statusCode >= 500) return undefined;
  return new ApiError(byStatus[statusCode] ?? 'InvalidRequestError', error.message);
}

/**
 * Whether the connection ends with this answer. Fastify ends it after every refused body.
 *
 * After a complete body it stays open: the client may have sent the next request, which would get no answer.
 */
function isLast({ raw }: FastifyRequest, reply: FastifyReply, { headers }: ApiError): boolean {
  if (headers.connection === 'close') return true;
  return !raw.complete && (reply.getHeader('connection') === 'close' || raw.headers.expect !== undefined);
}

/** Answers with an error in the envelope. A defect is logged, and its answer has only the request id. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (reply.raw.destroyed) return reply.hijack();
  const known = toApiError(error, request);
  const { id } = request;
  if (!known) request.log.error({ event: 'request.defect', id, err: error });
  else if (known.status >= 500) request.log.warn({ event: 'request.failed', id, err: known.cause ?? known });
  const shown =
    known ??
    new ApiError('InternalServerError', `something went wrong on our side; request id ${request.id}`);
  reply.failure = shown;
  if (isLast(request, reply, shown)) {
    reply.header('connection', 'close');
    ignoreInput(request.raw.socket);
  } else reply.removeHeader('connection');
  return reply
    .code(shown.status)
    .headers({ ...shown.headers, 'x-request-id': request.id })
    .type('application/json; charset=utf-8')
    .send(failure(shown));
}

/** All failures get the envelope, also those of Fastify. */
export function envelope(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>(answerError);
  app.setNotFoundHandler((request, reply) => {
    const error = notFound(request);
    return reply.code(error.status).headers(error.headers).send(failure(error));
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Content types of the body, if they are not JSON alone. */
    takes?: string;
  }
}
