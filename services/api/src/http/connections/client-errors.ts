import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorName } from '@sluice/shared/errors.ts';
import type { ConnectionError } from 'fastify';
import { failure } from '../envelope.ts';
import { headerLimitBytes, ignoresInput, isPaused, latestResponse } from './connections.ts';
import { ignoreInput, linger } from './lingering.ts';

const known: Record<string, [ErrorName, string]> = {
  HPE_HEADER_OVERFLOW: [
    'RequestHeaderFieldsTooLargeError',
    `the URL and the headers are over the limit of ${headerLimitBytes} bytes`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PayloadTooLargeError', 'the chunk extensions of the body are too large'],
};

export const tooSlow = () => new ApiError('RequestTimeoutError', 'the request did not arrive in time');

/** Answers what never became a request: invalid HTTP, too large headers, or a head that came too slowly. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (ignoresInput(socket)) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    afterReading(socket, () => {
      if (socket.writable) refuseNext(socket, tooSlow());
      else socket.destroy();
    });
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [name, message] = known[error.code] ?? ['InvalidRequestError', 'this is not a valid HTTP request'];
  refuseNext(socket, new ApiError(name, message));
}

/** After a stall, timers run before input is read. So `refuse` runs after reading, unless another request has begun. */
export function afterReading(socket: Socket, refuse: () => void): void {
  const response = latestResponse(socket);
  setImmediate(() => {
    if (latestResponse(socket) === response && !isPaused(socket)) refuse();
  });
}

/** Refuses input that is no request, and ends the connection. */
export function refuseNext(socket: Socket, refusal: ApiError): void {
  if (ignoresInput(socket)) return;
  const response = latestResponse(socket);
  if (!response?.req.complete) refuseInstead(socket, response, refusal);
  else if (response.writableFinished) refuseOn(socket, refusal);
  // The request before the invalid input is complete and gets its own answer.
  else endAfter(socket, response);
}

/** Refuses the request of this response, whose body does not arrive, and ends the connection. */
export function refuseInstead(socket: Socket, response: ServerResponse | undefined, refusal: ApiError): void {
  if (!response) refuseOn(socket, refusal);
  else if (response.headersSent) endAfter(socket, response);
  else if (response.socket) refuseOn(socket, refusal);
  else {
    // Earlier requests of the connection are answered first.
    ignoreInput(socket);
    response.once('socket', () => refuseOn(socket, refusal));
  }
}

function endAfter(socket: Socket, response: ServerResponse): void {
  ignoreInput(socket);
  if (response.writableFinished) linger(socket);
  else response.once('close', () => linger(socket));
}

/** Writes an answer without Fastify, and ends the connection. */
function refuseOn(socket: Socket, refusal: ApiError): void {
  const body = JSON.stringify(failure(refusal));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  linger(socket);
}
