import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends what is written already: the type is that of the value. */
export const sendJson = (reply: FastifyReply, text: string | Readable) =>
  reply.type('application/json; charset=utf-8').send(text as never) as never;

/** The envelope of a success around JSON that is written already. */
export const success200 = (data: string): string => `{"success":true,"status":200,"data":${data}}`;
