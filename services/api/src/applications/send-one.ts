import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyReply } from 'fastify';
import { sendJson, success200 } from '../http/send-json.ts';
import type { ActivityOf } from './activity.ts';
import { toJson } from './to-json.ts';

export const createSendOne =
  (activityOf: ActivityOf) => async (reply: FastifyReply, application: ApplicationRecord) => {
    const activity = await activityOf([application]);
    return sendJson(reply, success200(toJson(application, activity.get(application.id))));
  };
