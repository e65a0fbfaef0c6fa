import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../dependencies.ts';
import { afterEarlierRequests } from '../http/connections/connections.ts';
import { readBuilt } from './read-built.ts';

const built = join(import.meta.dirname, '../../../console/dist');
/** services/console/vite.config.ts sets this placeholder. */
const placeOfNonce = /\{nonce\}/g;

/** Libraries add `<style>` with the nonce. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(';');

/** Whether a browser opens a page. Requests for data get a 404 as JSON. */
const isNavigation = ({ url, headers }: FastifyRequest) =>
  headers.accept?.includes('text/html') && !/^\/(api|assets|metrics)(?![\w.-])/.test(url);

/** The console at `/`: its files, and its page for every path without another route. */
export const consoleRoutes: Routes = async (app, { config }) => {
  if (!config.console) return;
  const page = (await readBuilt(join(built, 'index.html')))?.toString();
  const hidden = { schema: { hide: true } };
  if (page === undefined) {
    app.get('/', hidden, () => {
      const message = 'the console is not built; `npm run setup` builds it, and /api/docs works without it';
      throw new ApiError('ResourceNotFoundError', message);
    });
    return;
  }

  const policies = new WeakMap<FastifyReply, string>();
  // Replaces the policy of all other routes, which allows a page nothing.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const own = policies.get(reply);
    if (own) reply.header('content-security-policy', own);
    done();
  });

  function sendPage(reply: FastifyReply) {
    const nonce = randomBytes(16).toString('base64');
    policies.set(reply, policy(nonce));
    return reply
      .headers({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer', vary: 'Accept' })
      .type('text/html; charset=utf-8')
      .send(page?.replaceAll(placeOfNonce, nonce));
  }

  app.get('/', hidden, (_request, reply) => sendPage(reply));
  app.get('/*', hidden, (request, reply) => (isNavigation(request) ? sendPage(reply) : reply.callNotFound()));

  app.addHook('onRequest', afterEarlierRequests);
  await app.register(fastifyStatic, {
    root: join(built, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    decorateReply: false,
    index: false,
    redirect: false,
    // @fastify/send accepts weak tags in If-Range, and refuses a suffix that is longer than the file.
    acceptRanges: false,
    immutable: true,
    maxAge: '1y',
    setHeaders: (reply) => void reply.header('vary', 'Accept-Encoding'),
  });
};
