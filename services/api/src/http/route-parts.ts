import { type ErrorName, errorOf, type StatusOf } from '@sluice/shared/errors.ts';
import type { Role } from '@sluice/store/applications/application-document.ts';
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';
import { Failure } from './answers.ts';
import { Int, Text } from './schemas.ts';

/** The failures of every route; http/describe.ts names the errors. */
export const failures = { '4xx': Failure, '5xx': Failure };

/** The failures of one route, besides those of every route. */
export function ownFailures<Name extends ErrorName>(...names: Name[]) {
  const byStatus = Object.groupBy(names, (name) => errorOf(name).status);
  const responses = Object.entries(byStatus).map(([status, some]) => [
    status,
    { ...Failure, 'x-errors': some },
  ]);
  return Object.fromEntries(responses) as Record<StatusOf<Name>, typeof Failure>;
}

export const rateLimited = {
  headers: {
    'RateLimit-Limit': Int('Requests allowed per window.'),
    'RateLimit-Remaining': Int('Requests left in this window.'),
    'RateLimit-Reset': Int('Seconds until the window ends.'),
  },
};
const retryAfter = { 'Retry-After': Int('Seconds to wait before a retry.') };

/** 429 for a quota, or after wrong passwords. */
export const overLimit = {
  429: {
    ...Failure,
    'x-response': 'QuotaReached',
    description:
      '`TooManyRequestsError`: a quota, or your share of the capacity of the server, is used up; `error.message` says which.',
    headers: retryAfter,
  },
};

/** 429 for a rate limit. */
export const overRate = {
  429: {
    ...Failure,
    'x-response': 'TooManyRequests',
    description: '`TooManyRequestsError`: the rate limit is reached; `error.message` says how long to wait.',
    headers: { ...rateLimited.headers, ...retryAfter },
  },
};

const domain = Text('Domain of the application.', 'weather-station-k3v9q2');
export const ByDomain = Type.Object({ domain });
export const byId = (what: string) => Type.Object({ domain, id: Text(`Id of the ${what}.`) });

/** A body of one JSON object per line. */
export const Ndjson = Type.String({
  minLength: 1,
  format: 'binary',
  description: '`application/ndjson` and `application/jsonl` are the same.',
  examples: ['{"celsius":21.5}\n{"celsius":22}\n'],
});

/** The options of a route: its description and its `config`. The `operationId` names it in generated clients. */
export const operation = <const Schema extends FastifySchema>(
  operationId: string,
  summary: string,
  { config, ...schema }: Schema & { config?: FastifyContextConfig },
) => ({ schema: { operationId, summary, ...schema } as unknown as Schema, ...(config && { config }) });

/** Describes the routes of a plugin under a tag. */
export function tagRoutes(app: FastifyInstance, tag: string, more?: FastifySchema): void {
  app.addHook('onRoute', ({ schema }) => {
    if (schema) Object.assign(schema, { tags: [tag], ...more });
  });
}

const forRole = { editor: 'For editors and the owner.', owner: 'For the owner.' };

/**
 * Describes the routes of a plugin under a tag, and requires a user's token. The user needs a role in the application:
 * the `role` of the route or of the plugin, else `reader` to read and `editor` to change.
 */
export function bearerRoutes(app: FastifyInstance, tag: string, role?: Role): void {
  tagRoutes(app, tag, { security: [{ bearer: [] }] });
  app.addHook('onRoute', (route) => {
    const isReading = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    const config = { role: role ?? (isReading ? 'reader' : 'editor'), ...route.config };
    route.config = config;
    const { schema } = route;
    if (!schema || !route.url.includes('/:domain') || config.role === 'reader') return;
    const description = [schema.description, forRole[config.role]].filter(Boolean).join(' ');
    route.schema = { ...schema, description };
  });
  app.addHook('onRequest', app.authenticate);
}

/** For `config` of a route that a personal token must not use. */
export const loginOnly = { isLoginOnly: true } as const;

/** Limits the bodies of a plugin's routes to 16 KiB, as they are open to anyone or have only names. */
export function takeSmallBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit = 16 * 1024;
  });
}
