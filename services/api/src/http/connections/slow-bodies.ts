import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { FastifyInstance } from 'fastify';
import { afterReading, refuseInstead, tooSlow } from './client-errors.ts';
import { ignoresInput, isPaused, latestResponse, limitUnread } from './connections.ts';

const lookEveryMs = 1_000;

/** How long the server waits for the client. A route with long bodies uses it instead of the age of the request. */
export interface BodyPatience {
  /** When it began to wait (`performance.now()`); undefined while it works on input. */
  since: number | undefined;
  /** The age of the request counts from now. */
  end(): void;
}

const patience = Symbol('patience');
const seenAt = Symbol('seenAt');
type Watched = IncomingMessage & { [patience]?: BodyPatience | undefined; [seenAt]?: number };

/** Lets a body take any time, while input arrives. */
export function patienceFor(request: IncomingMessage): BodyPatience {
  const watched = request as Watched;
  const own: BodyPatience = {
    since: undefined,
    end() {
      watched[patience] = undefined;
      watched[seenAt] = performance.now();
    },
  };
  watched[patience] = own;
  return own;
}

interface Options {
  timeoutMs: number;
  /** How long incomplete requests may delay the close of the server. */
  closingMs: number;
  /** How long a client may take nothing of the end of its last answer. */
  endMs?: number;
}

/**
 * Refuses requests whose body does not arrive. It checks each connection once a second, so requests cost nothing.
 *
 * The time-out of Node.js has no exceptions for long bodies, and does not run while the server closes.
 */
export function slowBodies(app: FastifyInstance, { timeoutMs, closingMs, endMs }: Options): void {
  const sockets = new Set<Socket>();
  let closingSince: number | undefined;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  function refuse(socket: Socket, response: ServerResponse | undefined, error: ApiError): void {
    if (response && !response.headersSent && socket.writable) refuseInstead(socket, response, error);
    else socket.destroy();
  }

  function look(): void {
    const now = performance.now();
    const isClosed = closingSince !== undefined && now - closingSince >= closingMs;
    for (const socket of sockets) {
      limitUnread(socket, timeoutMs, endMs);
      if (ignoresInput(socket) && !isClosed) continue;
      const response = latestResponse(socket);
      const request = response?.req as Watched | undefined;
      if (isPaused(socket)) {
        if (isClosed) socket.destroy();
        // The server does not read now, so the client is not slow.
        else if (request) request[seenAt] = now;
        continue;
      }
      if (!request || request.complete) {
        // Until the server closes, Node.js handles heads that do not arrive.
        if (isClosed && (!response || response.writableFinished)) socket.destroy();
        continue;
      }
      request[seenAt] ??= now;
      const waiting = request[patience];
      const since = waiting ? waiting.since : request[seenAt];
      if (since !== undefined && now - since >= timeoutMs)
        afterReading(socket, () => request.complete || refuse(socket, response, tooSlow()));
      else if (isClosed) refuse(socket, response, stopping());
    }
  }

  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  app.server.on('connection', track);
  app.server.once('close', () => clearInterval(timer));
  app.addHook('preClose', async () => {
    closingSince = performance.now();
  });
}

const stopping = () => unavailable('this server is stopping; nothing was stored', 1);
