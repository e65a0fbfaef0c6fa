import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ignoresInput, latestResponse, setIgnoresInput } from './connections.ts';

/** A client that sends nothing for so long has seen the answer. */
const quietMs = 2_000;
const longestMs = 10_000;
const mostBytes = 64 * 1024 ** 2;

const close = (socket: Socket) => Socket.prototype.destroySoon.call(socket);

/** What comes from now on is read and forgotten, within bounds; what is to be answered still is. */
export function ignoreInput(socket: Socket): void {
  if (ignoresInput(socket)) return;
  setIgnoresInput(socket);
  // Where Node.js has stopped reading, only its own listener begins again.
  if (socket.isPaused()) socket.once('resume', () => discard(socket)).resume();
  else discard(socket);
}

function discard(socket: Socket): void {
  let left = mostBytes;
  // The parser's.
  socket.removeAllListeners('data');
  socket.on('data', (piece) => {
    left -= piece.length;
    if (left < 0) socket.destroy();
  });
}

/**
 * Ends a connection whose client may still be sending. A socket that is closed with unread bytes in it resets the
 * connection, and the client may never see the answer: so it is read until the client ends its side.
 */
export function linger(socket: Socket): void {
  if (socket.readableEnded) {
    close(socket);
    return;
  }
  if (socket.writableEnded) return;
  ignoreInput(socket);
  const deadline = setTimeout(() => socket.destroy(), longestMs).unref();
  /** Where the process stood still, what came meanwhile is read first. */
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

/** What Node.js calls when the last answer of a connection is out. */
function destroySoon(this: Socket): void {
  if (ignoresInput(this) || latestResponse(this)?.req.complete === false) linger(this);
  else close(this);
}

/** An answer before the end of its request reaches a client that sends on. */
export function lingers(app: FastifyInstance): void {
  app.server.on('connection', (socket) => {
    socket.destroySoon = destroySoon;
  });
}
