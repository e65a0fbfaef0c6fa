import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { answerOf } from './answers.ts';

/** Requests of one connection that may wait behind the one that is being answered before no more are read. */
const mostWaiting = 16;
/** Bytes of answers that wait on one connection before Node.js stops reading it. */
const highWaterMark = 64 * 1024;

/** `_paused`: Node.js itself reads no more until answers have gone. */
type Paused = Socket & { _paused?: boolean };
/** Adds to the bytes of answers that wait. */
type Pending = ServerResponse & { _onPendingData(bytes: number): void };

/** Whether its client could take bytes, and Node.js reads no more until it does. */
const isOwed = (socket: Socket): boolean => socket.isPaused() && socket.writableLength > 0;

/** Whether this connection is not read until earlier answers have gone. */
export const isStopped = (socket: Socket): boolean => (socket as Paused)._paused === true || isOwed(socket);

const timed = new WeakSet<Socket>();

/** Ends a connection that is stopped and whose client takes nothing for so long. Call now and then. */
export function limitUnread(socket: Socket, timeoutMs: number): void {
  if (isOwed(socket) === timed.has(socket)) return;
  if (timed.delete(socket)) {
    // Where all is answered Node.js has set the time for a next request.
    if (!answerOf(socket)?.writableFinished) socket.setTimeout(0);
    return;
  }
  timed.add(socket);
  // Node.js begins anew with each byte that the client takes.
  socket.setTimeout(timeoutMs);
}

/** Waits until all requests before it on its connection are answered: for routes that read files. */
export const inTurn: onRequestHookHandler = (_request, { raw }, done) => {
  if (raw.socket) done();
  else raw.once('socket', () => done());
};

/**
 * A request that waits for its turn counts as a share of the bytes at which Node.js stops reading. By itself it counts only those of
 * answers that are made.
 */
const countWaiting: onRequestHookHandler = (_request, { raw }, done) => {
  if (!raw.socket) {
    const answer = raw as Pending;
    const share = highWaterMark / mostWaiting;
    answer._onPendingData(share);
    answer.once('socket', () => answer._onPendingData(-share));
  }
  done();
};

/** Bounds what a connection has pending: beyond the bound, and the rest of what was read with it, nothing is read. */
export const pipelining = fp(
  async (app) => {
    app.addHook('onRequest', countWaiting);
  },
  { name: 'pipelining' },
);
