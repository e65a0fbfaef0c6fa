import type { Readable } from 'node:stream';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyReply } from 'fastify';
import { toJson } from './list.ts';

/** Sends what is written already: the type is that of the value. */
export const sendJson = (reply: FastifyReply, text: string | Readable) =>
  reply.type('application/json; charset=utf-8').send(text as never) as never;

export const sendOne = (reply: FastifyReply, application: ApplicationRecord, warnings: string[] = []) =>
  sendJson(reply, `{"success":true,"status":200,"data":${toJson(application, warnings)}}`);
