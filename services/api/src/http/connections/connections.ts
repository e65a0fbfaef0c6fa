import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, onRequestHookHandler } from 'fastify';

/** Of the URL and the headers together. */
export const headerLimitBytes = 16 * 1024;

/** Requests of one connection that may wait behind the one that is being answered before no more are read. */
const waitingLimit = 16;
/** Bytes of responses that wait on one connection before Node.js stops reading it. */
const highWaterMark = 64 * 1024;
const share = highWaterMark / waitingLimit;

// On the socket itself: an entry in a WeakMap for each request would cost as much as its routing.
const latest = Symbol('latest response');
const ignoring = Symbol('ignoring input');
/** `_paused`: Node.js itself reads no more until responses have gone. */
type Connection = Socket & { [latest]?: ServerResponse; [ignoring]?: true; _paused?: boolean };
/** Adds to the bytes of responses that wait. */
type Pending = ServerResponse & { _onPendingData(bytes: number): void };

/** The connection's latest response, sent or still to be sent. */
export const latestResponse = (socket: Socket): ServerResponse | undefined => (socket as Connection)[latest];

/** Whether what comes on this connection is no request any more. */
export const ignoresInput = (socket: Socket): boolean => (socket as Connection)[ignoring] === true;

export function setIgnoresInput(socket: Socket): void {
  (socket as Connection)[ignoring] = true;
}

/**
 * Call for each request. It becomes the connection's latest; while it waits for earlier ones, it counts as a share of the bytes at
 * which Node.js stops reading. Node.js itself counts only the bytes of responses that are made.
 */
export function addRequest({ raw }: FastifyReply): void {
  (raw.req.socket as Connection)[latest] = raw;
  if (raw.socket) return;
  const response = raw as Pending;
  response._onPendingData(share);
  response.once('socket', () => response._onPendingData(-share));
}

/** Whether the client has not taken what was written, and Node.js waits for that. */
const hasUnread = (socket: Socket): boolean => socket.isPaused() && socket.writableLength > 0;

/** Whether all is answered, and the client has not taken it yet. */
const hasUnreadEnd = (socket: Socket): boolean =>
  socket.writableLength > 0 && latestResponse(socket)?.writableEnded === true;

/** Longer than a client of 1 KB per second needs for what the kernel holds: only then does it take more from here. */
const longestEndMs = 30 * 60_000;

/** Whether this connection is not read until earlier responses have gone. */
export const isPaused = (socket: Socket): boolean =>
  (socket as Connection)._paused === true || hasUnread(socket);

const timed = new WeakSet<Socket>();

/** Ends a connection whose client takes nothing for so long; `endMs` where only the end of an answer is left. Call now and then. */
export function limitUnread(socket: Socket, timeoutMs: number, endMs = longestEndMs): void {
  const isWaiting = hasUnread(socket);
  if (isWaiting || hasUnreadEnd(socket)) {
    timed.add(socket);
    const ms = isWaiting ? timeoutMs : endMs;
    // Node.js begins anew whenever the kernel takes more, and sets other times between requests.
    if (socket.timeout !== ms) socket.setTimeout(ms);
  } else if (timed.delete(socket) && !latestResponse(socket)?.writableFinished) {
    // Where all is answered Node.js has set the time for a next request.
    socket.setTimeout(0);
  }
}

/** Waits until all requests before it on its connection are answered: for routes that read files. */
export const afterEarlierRequests: onRequestHookHandler = (_request, { raw }, done) => {
  if (raw.socket) done();
  else raw.once('socket', () => done());
};

/** Aborted when the client has gone, or has all of its answer. */
export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.closed || raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
