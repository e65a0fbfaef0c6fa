import type { FastifyReply } from 'fastify';

/** Aborted when the client has gone, or has all of its answer. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed || reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
