import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { FastifyInstance } from 'fastify';
import { refuseInstead, tooSlow } from './client-errors.ts';
import { ignoresInput, isPaused, latestResponse, limitUnread } from './connections.ts';

const lookEveryMs = 1_000;

/** How long the server has waited for the client. A route that takes long bodies keeps it, in place of the request's age. */
export interface Patience {
  /** `performance.now()` when it began to wait; undefined while it is busy with what came. */
  since: number | undefined;
  /** From now on the body is like any other. */
  end(): void;
}

const patience = Symbol('patience');
const seenAt = Symbol('seenAt');
type Watched = IncomingMessage & { [patience]?: Patience | undefined; [seenAt]?: number };

/** Lets a body take as long as it wants, as long as something comes. */
export function patienceFor(request: IncomingMessage): Patience {
  const watched = request as Watched;
  const own: Patience = {
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
  /** How long requests that are not whole hold up a server that is closing. */
  closingMs: number;
  /** How long a client may take nothing of the end of an answer. */
  endMs?: number;
}

/**
 * Lets go of clients whose body does not come: Node.js itself knows no exceptions, and does not look any more when it
 * closes. Nothing is done for a request as such: once a second each connection is looked at.
 */
export function slowBodies(app: FastifyInstance, { timeoutMs, closingMs, endMs }: Options): void {
  const sockets = new Set<Socket>();
  let closingSince: number | undefined;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  function letGo(socket: Socket, response: ServerResponse | undefined, error: ApiError): void {
    if (response && !response.headersSent && socket.writable) refuseInstead(socket, response, error);
    else socket.destroy();
  }

  function look(): void {
    const now = performance.now();
    const isClosed = closingSince !== undefined && now - closingSince >= closingMs;
    for (const socket of sockets) {
      limitUnread(socket, timeoutMs, endMs);
      if (ignoresInput(socket) && !isClosed) continue;
      if (isPaused(socket)) {
        if (isClosed) socket.destroy();
        continue;
      }
      const response = latestResponse(socket);
      const request = response?.req as Watched | undefined;
      if (!request || request.complete) {
        // Headers that do not come: of those Node.js takes care until it closes.
        if (isClosed && (!response || response.writableFinished)) socket.destroy();
        continue;
      }
      request[seenAt] ??= now;
      const waiting = request[patience];
      const since = waiting ? waiting.since : request[seenAt];
      if (since !== undefined && now - since >= timeoutMs) letGo(socket, response, tooSlow());
      else if (isClosed) letGo(socket, response, stopping());
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
