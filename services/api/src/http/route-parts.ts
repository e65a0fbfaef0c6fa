import { type ErrorName, errorOf, type StatusOf } from '@sluice/shared/errors.ts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';
import { Failure } from './answers.ts';

/** How any route can fail; http/describe-failures.ts names the errors. */
export const failures = { '4xx': Failure, '5xx': Failure };

/** The failures of one route, besides those of any. */
export function ownFailures<Name extends ErrorName>(...names: Name[]) {
  const byStatus = Object.groupBy(names, (name) => errorOf(name).status);
  const responses = Object.entries(byStatus).map(([status, some]) => [
    status,
    { ...Failure, 'x-errors': some },
  ]);
  return Object.fromEntries(responses) as Record<StatusOf<Name>, typeof Failure>;
}

/** Headers of a route with a rate limit, for the description of its answers. */
export const rateLimited = {
  headers: {
    'RateLimit-Limit': Type.Integer({ description: 'Requests allowed per window.' }),
    'RateLimit-Remaining': Type.Integer({ description: 'Requests left in this window.' }),
    'RateLimit-Reset': Type.Integer({ description: 'Seconds until the window ends.' }),
  },
};
const retryAfter = { 'Retry-After': Type.Integer({ description: 'Seconds to wait before a retry.' }) };

/** 429 of a quota, or after wrong passwords. */
export const overLimit = {
  429: {
    ...Failure,
    'x-response': 'QuotaReached',
    description:
      '`TooManyRequestsError`: a quota, or your share of the capacity of the server, is used up; `error.message` says which.',
    headers: retryAfter,
  },
};

/** 429 of a rate limit. */
export const overRate = {
  429: {
    ...Failure,
    'x-response': 'TooManyRequests',
    description: '`TooManyRequestsError`: the rate limit is reached; `error.message` says how long to wait.',
    headers: { ...rateLimited.headers, ...retryAfter },
  },
};

const domain = Type.String({
  description: 'Domain of the application.',
  examples: ['weather-station-k3v9q2'],
});
export const ByDomain = Type.Object({ domain });
export const byId = (what: string) =>
  Type.Object({ domain, id: Type.String({ description: `Id of the ${what}.` }) });

/** A body of one JSON object per line. */
export const Ndjson = Type.String({
  minLength: 1,
  format: 'binary',
  description: '`application/ndjson` and `application/jsonl` are the same.',
  examples: ['{"celsius":21.5}\n{"celsius":22}\n'],
});

/** The options of a route with its description. The `operationId` names it in generated clients. */
export const operation = <const Schema extends FastifySchema>(
  operationId: string,
  summary: string,
  schema: Schema,
) => ({ schema: { operationId, summary, ...schema } });

/** The routes of a plugin are described under this tag. */
export function tagRoutes(app: FastifyInstance, tag: string, more?: FastifySchema): void {
  app.addHook('onRoute', ({ schema }) => {
    if (schema) Object.assign(schema, { tags: [tag], ...more });
  });
}

/** The same, and each route wants the token of an owner. */
export function ownerRoutes(app: FastifyInstance, tag: string): void {
  tagRoutes(app, tag, { security: [{ bearer: [] }] });
  app.addHook('onRequest', app.authenticate);
}

/** For routes whose bodies are some names and words: nobody sends them more, least of all without a token. */
export function takeSmallBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit = 16 * 1024;
  });
}
