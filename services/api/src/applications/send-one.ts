import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyReply } from 'fastify';
import { sendJson, success200 } from '../http/send-json.ts';
import { toJson } from './list.ts';

export const sendOne = (reply: FastifyReply, application: ApplicationRecord, warnings: string[] = []) =>
  sendJson(reply, success200(toJson(application, warnings)));
