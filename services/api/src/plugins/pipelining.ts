import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { answerOf } from './answers.ts';
import { isDeaf } from './lingering.ts';

/** Requests of one connection that wait behind the one that is being answered. */
const mostWaiting = 16;

/** llhttp's HPE_PAUSED: the parser stops where it is when a callback returns it. */
const pause = 21;

/** What Node.js does not describe of the parser of a connection. */
interface Parser {
  onIncoming(request: IncomingMessage, keepAlive: boolean): number;
  resume(): void;
}
const parserOf = (socket: Socket) => (socket as Socket & { parser: Parser }).parser;

interface Stop {
  /** What was read and not parsed. */
  rest: Buffer;
  /** Half of what waited has gone. */
  isOver: boolean;
}

const nothing = Buffer.alloc(0);

const stops = new Map<Socket, Stop>();

/** Whether its client could take bytes, and the server, or Node.js by itself, reads no more until it does. */
const isOwed = (socket: Socket): boolean => socket.isPaused() && socket.writableLength > 0;

/** Whether this connection is not read until earlier answers have gone. */
export const isStopped = (socket: Socket): boolean => stops.has(socket) || isOwed(socket);

const timed = new WeakSet<Socket>();

/** Ends a connection that is stopped and whose client takes nothing for so long, or up to twice as long. Call now and then. */
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

const isWaiting = (answer: ServerResponse) => !answer.socket && !answer.writableFinished;

/** Goes through the requests of one connection; a whole read of 64 KiB has up to 3,000 of them. */
function countWaiting(socket: Socket): void {
  const parser = parserOf(socket);
  const take = parser.onIncoming;
  const waiting: ServerResponse[] = [];
  parser.onIncoming = (request, keepAlive) => {
    const code = take(request, keepAlive);
    const answer = answerOf(socket);
    if (code !== 0 || !answer || answer.socket) return code;
    while (waiting[0] && !isWaiting(waiting[0])) waiting.shift();
    if (waiting.push(answer) < mostWaiting) return code;
    if (isDeaf(socket)) return pause;
    stops.set(socket, { rest: nothing, isOver: false });
    // Half of them go first, so that the connection is not idle meanwhile.
    waiting[mostWaiting / 2]?.once('socket', () => goOn(socket));
    return pause;
  };
}

/** Reads a connection no further whose parser has been paused; `error` tells where. */
export function stopReading(socket: Socket, error: ConnectionError): void {
  const stop = stops.get(socket) as Stop;
  stop.rest = (error.rawPacket as unknown as Buffer).subarray(error.bytesParsed);
  socket.pause();
  socket.on('resume', resumed);
  socket.once('close', forget);
}

function goOn(socket: Socket): void {
  const stop = stops.get(socket);
  if (!stop) return;
  stop.isOver = true;
  socket.resume();
}

/** Node.js resumes connections too, whenever a body is read or an answer written, and may have paused this one itself. */
function resumed(this: Socket): void {
  const { rest, isOver } = stops.get(this) as Stop;
  if (!isOver && !isDeaf(this)) this.pause();
  if (this.isPaused()) return;
  forget.call(this);
  if (isDeaf(this)) return;
  parserOf(this).resume();
  this.emit('data', rest);
}

function forget(this: Socket): void {
  stops.delete(this);
  this.off('resume', resumed);
  this.off('close', forget);
}

/** Waits until all requests before it on its connection are answered: for routes that read files. */
export const inTurn: onRequestHookHandler = (_request, { raw }, done) => {
  if (raw.socket) done();
  else raw.once('socket', () => done());
};

/**
 * Bounds what a connection has pending. Node.js stops reading when answers that wait have 64 KiB, but it looks only
 * between two reads, and while answers are being made there are no bytes to count.
 */
export const pipelining = fp(
  async (app) => {
    app.server.on('connection', countWaiting);
  },
  { name: 'pipelining' },
);
