import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorName } from '@sluice/shared/errors.ts';
import type { ConnectionError, onRequestHookHandler } from 'fastify';
import { failure } from './envelope.ts';

const known: Record<string, [ErrorName, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeoutError', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: ['RequestHeaderFieldsTooLargeError', 'the headers are over the limit'],
};

// On the socket itself: an entry in a WeakMap for each request would cost as much as its routing.
const answering = Symbol('answering');
type Noted = Socket & { [answering]?: ServerResponse };

/** Remembers what each connection is waiting for. */
export const noteAnswers: onRequestHookHandler = (request, reply, done) => {
  (request.raw.socket as Noted)[answering] = reply.raw;
  done();
};

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
  const refusal = new ApiError(name, message);
  const body = JSON.stringify(failure(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${name}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
