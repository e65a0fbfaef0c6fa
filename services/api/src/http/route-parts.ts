import { Failure } from '@sluice/shared/contracts/envelope.ts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';

/** How any route can fail: http/describe-failures.ts tells which statuses that are. */
export const failures = { '4xx': Failure, '5xx': Failure };

/** Failures that a route has besides them. */
export const refusals = <Status extends number>(...statuses: Status[]) =>
  Object.fromEntries(statuses.map((status) => [status, Failure])) as Record<Status, typeof Failure>;

/** Headers of a route with a rate limit, for the description of its answers. */
export const rateLimited = {
  headers: {
    'RateLimit-Limit': Type.Integer({ description: 'How much there may be within the time of the limit.' }),
    'RateLimit-Remaining': Type.Integer({ description: 'How much of it is left.' }),
    'RateLimit-Reset': Type.Integer({ description: 'Seconds until all of it is there again.' }),
  },
};
const retryAfter = { 'Retry-After': Type.Integer({ description: 'Seconds to wait.' }) };

/** 429 of a quota, or after wrong passwords. */
export const overLimit = {
  429: {
    ...Failure,
    description:
      'Your quota, or your share of what the server takes at once, is used up; `error.message` says which.',
    headers: retryAfter,
  },
};

/** 429 of a rate limit. */
export const overRate = {
  429: {
    ...Failure,
    description: 'The rate limit is used up; `error.message` says how long to wait.',
    headers: { ...rateLimited.headers, ...retryAfter },
  },
};

export const ByDomain = Type.Object({ domain: Type.String() });
export const ById = Type.Object({ domain: Type.String(), id: Type.String() });

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
