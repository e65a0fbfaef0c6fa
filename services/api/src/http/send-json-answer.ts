import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Period } from '@sluice/store/entries/entries.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import type { FastifyReply } from 'fastify';
import type { AppDependencies } from '../dependencies.ts';
import { sendJson } from './answers.ts';
import { acceptAnswer, createAskWorker } from './ask-worker.ts';
import { abortOnClose } from './connections/connections.ts';

/** Sends what a query worker answers about selected entries. */
export function createSendJsonAnswer({
  config,
  capacity,
  log,
}: Pick<AppDependencies, 'config' | 'capacity' | 'log'>) {
  const ask = createAskWorker(config, log);

  return async (
    reply: FastifyReply,
    { id, domain, owner }: ApplicationRecord,
    path: '/fields' | '/counts',
    {
      conditions = [],
      ...asked
    }: Period & { conditions?: Condition[] | undefined } & Record<string, unknown>,
  ) => {
    const all = { application: id, domain, owner: owner.id, filter: toText(conditions), ...asked };
    const response = await ask(path, all, abortOnClose(reply));
    acceptAnswer(reply, response, capacity, owner.id);
    return sendJson(reply, await response.text());
  };
}
