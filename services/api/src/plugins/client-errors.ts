import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorName } from '@sluice/shared/errors.ts';
import type { ConnectionError, FastifyReply, onRequestHookHandler } from 'fastify';
import { failure } from './envelope.ts';

const known: Record<string, [ErrorName, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeoutError', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: ['RequestHeaderFieldsTooLargeError', 'the headers are over the limit'],
};

// On the socket itself: an entry in a WeakMap for each request would cost as much as its routing.
const answering = Symbol('answering');
type Noted = Socket & { [answering]?: ServerResponse };

export function noteAnswer({ raw }: FastifyReply): void {
  (raw.req.socket as Noted)[answering] = raw;
}

/** Remembers what each connection is waiting for. */
export const noteAnswers: onRequestHookHandler = (_request, reply, done) => {
  noteAnswer(reply);
  done();
};

/** The answer that a connection got last, or waits for. */
export const answerOf = (socket: Socket): ServerResponse | undefined => (socket as Noted)[answering];

/** Answers, in the envelope, what never became a request: no valid HTTP, too large headers, too slow. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = (socket as Noted)[answering];
  if (response?.req.complete && !response.writableFinished) {
    // What came before the nonsense is a whole request and being done: it gets its own answer.
    response.once('close', () => socket.destroySoon());
    response.once('finish', () => socket.destroySoon());
    return;
  }
  const [name, message] = known[error.code] ?? ['InvalidRequestError', 'this is not a valid HTTP request'];
  refuseOn(socket, new ApiError(name, message));
}

/** Answers with an error past the framework, and ends the connection. */
export function refuseOn(socket: Socket, refusal: ApiError): void {
  const body = JSON.stringify(failure(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.name}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon());
}
