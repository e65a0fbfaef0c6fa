import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, onRequestHookHandler } from 'fastify';

/** For the URL and the headers together. */
export const headerLimitBytes = 16 * 1024;

/** When this many requests wait on one connection, Node.js stops reading it. */
const waitingLimit = 16;
/** When this many bytes of responses wait on one connection, Node.js stops reading it. */
const highWaterMark = 64 * 1024;
const share = highWaterMark / waitingLimit;

// Properties of the socket: a WeakMap would cost each request as much as its routing.
const latest = Symbol('latest response');
const ignoring = Symbol('ignoring input');
/** `_paused`: Node.js does not read until responses have gone. */
type Connection = Socket & { [latest]?: ServerResponse; [ignoring]?: true; _paused?: boolean };
/** `_onPendingData` adds to the bytes of waiting responses. */
type Pending = ServerResponse & { _onPendingData(bytes: number): void };

/** The connection's latest response, sent or still to be sent. */
export const latestResponse = (socket: Socket): ServerResponse | undefined => (socket as Connection)[latest];

/** Whether further input of this connection is discarded. */
export const ignoresInput = (socket: Socket): boolean => (socket as Connection)[ignoring] === true;

export function setIgnoresInput(socket: Socket): void {
  (socket as Connection)[ignoring] = true;
}

/**
 * Call for each request, which becomes the latest of its connection. While it waits for earlier requests, it counts as
 * `share` bytes, because Node.js counts only responses that are already made.
 */
export function addRequest({ raw }: FastifyReply): void {
  (raw.req.socket as Connection)[latest] = raw;
  if (raw.socket) return;
  const response = raw as Pending;
  response._onPendingData(share);
  response.once('socket', () => response._onPendingData(-share));
}

/** Whether Node.js waits until the client has taken what was written. */
const hasUnread = (socket: Socket): boolean => socket.isPaused() && socket.writableLength > 0;

/** Whether the client has not yet taken the end of the last answer. */
const hasUnreadEnd = (socket: Socket): boolean =>
  socket.writableLength > 0 && latestResponse(socket)?.writableEnded === true;

/** A client that reads 1 KB per second needs less to empty the buffers of the kernel. */
const longestEndMs = 30 * 60_000;

/** Whether the connection is not read until earlier responses have gone. */
export const isPaused = (socket: Socket): boolean =>
  (socket as Connection)._paused === true || hasUnread(socket);

const timed = new WeakSet<Socket>();

/** Ends a connection whose client takes nothing for `timeoutMs`, or `endMs` for the end of the last answer. Call repeatedly. */
export function limitUnread(socket: Socket, timeoutMs: number, endMs = longestEndMs): void {
  const isWaiting = hasUnread(socket);
  if (isWaiting || hasUnreadEnd(socket)) {
    timed.add(socket);
    const ms = isWaiting ? timeoutMs : endMs;
    // Node.js restarts this time whenever the kernel takes more.
    if (socket.timeout !== ms) socket.setTimeout(ms);
  } else if (timed.delete(socket) && !latestResponse(socket)?.writableFinished) {
    // After the last answer Node.js has set its keep-alive time.
    socket.setTimeout(0);
  }
}

/** Waits until earlier requests of the connection are answered. For routes that read files. */
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
