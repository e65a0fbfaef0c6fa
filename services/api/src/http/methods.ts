import { METHODS } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyInstance } from 'fastify';

const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** connections/request-heads.ts refuses CONNECT. */
const all = [...usual, ...METHODS.filter((method) => method !== 'CONNECT' && !usual.includes(method))];

function notAllowed(method: string, allow: string): ApiError {
  const message = `${method} is not allowed here, only ${allow}`;
  return new ApiError('MethodNotAllowedError', message, { headers: { allow } });
}

/** A known path answers 405 with `Allow` to other methods. Call before the routes are registered. */
export function methods(app: FastifyInstance): void {
  for (const method of all) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const byPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    byPath.set(url, known);
  });
  app.decorate('refuseOtherMethods', () => {
    for (const [url, known] of [...byPath]) {
      if (url.includes('*')) continue;
      const missing = all.filter((method) => !known.has(method));
      const allow = all.filter((method) => known.has(method)).join(', ');
      if (missing.length === 0) continue;
      app.route({
        url,
        method: missing,
        schema: { hide: true },
        onRequest: async (request) => {
          throw notAllowed(request.method, allow);
        },
        handler: () => undefined,
      });
    }
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Call once, after all routes are registered. */
    refuseOtherMethods(): void;
  }
}
