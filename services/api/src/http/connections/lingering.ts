import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ignoresInput, latestResponse, setIgnoresInput } from './connections.ts';

/** A client that is silent for this long has seen the answer. */
const quietMs = 2_000;
const longestMs = 10_000;
const mostBytes = 64 * 1024 ** 2;

const close = (socket: Socket) => Socket.prototype.destroySoon.call(socket);

/** Discards further input, within limits. Earlier requests are still answered. */
export function ignoreInput(socket: Socket): void {
  if (ignoresInput(socket)) return;
  setIgnoresInput(socket);
  // If Node.js has paused the socket, its own listener must resume first.
  if (socket.isPaused()) socket.once('resume', () => discard(socket)).resume();
  else discard(socket);
}

function discard(socket: Socket): void {
  let left = mostBytes;
  // Removes the HTTP parser.
  socket.removeAllListeners('data');
  socket.on('data', (piece) => {
    left -= piece.length;
    if (left < 0) socket.destroy();
  });
}

/**
 * Ends a connection whose client may still be sending: reads until the client ends its side.
 *
 * To close a socket with unread input resets the connection, and the client may never see the answer.
 */
export function linger(socket: Socket): void {
  if (socket.readableEnded) {
    close(socket);
    return;
  }
  if (socket.writableEnded) return;
  ignoreInput(socket);
  const deadline = setTimeout(() => socket.destroy(), longestMs).unref();
  /** After a stall, waiting input is read first. */
  function quiet(): void {
    const before = socket.bytesRead;
    setImmediate(() => {
      if (socket.bytesRead === before) socket.destroy();
      else socket.setTimeout(quietMs, quiet);
    });
  }
  socket.setTimeout(quietMs, quiet);
  socket.once('end', () => close(socket));
  socket.once('close', () => clearTimeout(deadline));
  socket.end();
}

/** Node.js calls this after the last answer of a connection. */
function destroySoon(this: Socket): void {
  if (ignoresInput(this) || latestResponse(this)?.req.complete === false) linger(this);
  else close(this);
}

/** Lets an early answer reach a client that is still sending. */
export function lingers(app: FastifyInstance): void {
  app.server.on('connection', (socket) => {
    socket.destroySoon = destroySoon;
  });
}
