import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, onRequestHookHandler } from 'fastify';

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
