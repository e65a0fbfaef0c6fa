import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { answerOf } from './answers.ts';
import { isDeaf } from './lingering.ts';

/** Requests of one connection that wait behind the one that is being answered. */
const mostWaiting = 16;

const lookEveryMs = 1_000;

/** llhttp's HPE_PAUSED: the parser stops where it is when a callback returns it. */
const pause = 21;

/** What Node.js does not describe of the parser of a connection. */
interface Parser {
  onIncoming(request: IncomingMessage, keepAlive: boolean): number;
  resume(): void;
}
const parserOf = (socket: Socket) => (socket as Socket & { parser: Parser }).parser;

interface Stop {
  /** A client that takes nothing for so long loses the connection. */
  timeoutMs: number;
  /** What was read and not parsed. */
  rest: Buffer;
  /** Half of what waited has gone. */
  isOver: boolean;
  /** There are bytes that the client could take. */
  isOwed: boolean;
}

const nothing = Buffer.alloc(0);

const stops = new Map<Socket, Stop>();

/** Whether the server does not read this connection until earlier answers have gone. */
export const isStopped = (socket: Socket): boolean => stops.has(socket);

const isWaiting = (answer: ServerResponse) => !answer.socket && !answer.writableFinished;

/** Goes through the requests of one connection; a whole read of 64 KiB has up to 3,000 of them. */
function countWaiting(socket: Socket, timeoutMs: number): void {
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
    stops.set(socket, { timeoutMs, rest: nothing, isOver: false, isOwed: false });
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
  this.setTimeout(0);
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
export const pipelining = fp<{ timeoutMs: number }>(
  async (app, { timeoutMs }) => {
    /** The time of a connection runs while its client does not take what is there; Node.js sees each byte it takes. */
    function look(): void {
      for (const [socket, stop] of stops) {
        const isOwed = socket.writableLength > 0;
        if (isOwed !== stop.isOwed) socket.setTimeout(isOwed ? stop.timeoutMs : 0);
        stop.isOwed = isOwed;
      }
    }
    const timer = setInterval(look, lookEveryMs);
    timer.unref();
    app.server.on('connection', (socket) => countWaiting(socket, timeoutMs));
    app.server.once('close', () => clearInterval(timer));
  },
  { name: 'pipelining' },
);
