import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { IssuedKey, Key, NewKey } from '@sluice/shared/contracts/keys.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { KeyRecord } from '@sluice/store/applications/keys.ts';
import type { Store } from '@sluice/store/connect.ts';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import { ByDomain, failures, overLimit, security, takeSmallBodies } from '../http/route-parts.ts';
import { createFind } from '../jobs/find-job.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import type { Keyring } from './keyring.ts';
import { makeKey } from './make-key.ts';

interface Dependencies {
  store: Store;
  keyring: Pick<Keyring, 'forget'>;
  audit: Audit;
}

const ById = Type.Object({ domain: Type.String(), id: Type.String() });

const toKey = ({ createdAt, ...rest }: KeyRecord): Key => ({ ...rest, createdAt: createdAt.toISOString() });

const keyNotFound = (id: string) =>
  new ApiError('ResourceNotFoundError', `key ${id.slice(0, 40)} was not found`);

const maxKeys = quotas.keys.limit;
const tags = ['Keys'];

/** Ingest keys of an application: with one of them, and no more than that, one can upload. */
export const keyRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (app, { store, keyring, audit }) => {
  app.addHook('onRequest', app.authenticate);
  takeSmallBodies(app);
  const { keys } = store;
  const find = createFind(store);

  app.get(
    '/applications/:domain/keys',
    {
      schema: {
        summary: 'List ingest keys, newest first',
        tags,
        security,
        params: ByDomain,
        response: { 200: Success(Type.Array(Key)), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const application = await find.application(params.domain, owner.id);
      return success(reply, (await keys.list(application.id)).map(toKey));
    },
  );

  app.post(
    '/applications/:domain/keys',
    {
      schema: {
        summary: 'Create an ingest key',
        description: `The answer has the key, which is not shown again. At most ${maxKeys} an application. Uploads need one only where the application has \`key_required\`.`,
        tags,
        security,
        params: ByDomain,
        body: NewKey,
        response: { 200: Success(IssuedKey), ...overLimit, ...failures },
      },
    },
    async (request, reply) => {
      const { params, body, owner } = request;
      const application = await find.application(params.domain, owner.id);
      const { key, ...made } = makeKey();
      const created = await keys.create(application.id, body.name, made, maxKeys);
      if (!created) throw quotaReached('keys', maxKeys);
      keyring.forget(application.id);
      const event = { application: params.domain, key: created.id };
      await audit.note(request, { action: 'key.created', ...event });
      return success(reply, { ...toKey(created), key });
    },
  );

  app.post(
    '/applications/:domain/keys/:id/rotate',
    {
      schema: {
        summary: 'Put a new key in place of an ingest key',
        description: 'The old one stops working within a second. The new one is not shown again.',
        tags,
        security,
        params: ById,
        response: { 200: Success(IssuedKey), ...failures },
      },
    },
    async (request, reply) => {
      const { params, owner } = request;
      const application = await find.application(params.domain, owner.id);
      const { key, ...made } = makeKey();
      const rotated = await keys.rotate(application.id, params.id, made);
      if (!rotated) throw keyNotFound(params.id);
      keyring.forget(application.id);
      await audit.note(request, { action: 'key.rotated', application: params.domain, key: rotated.id });
      return success(reply, { ...toKey(rotated), key });
    },
  );

  app.delete(
    '/applications/:domain/keys/:id',
    {
      schema: {
        summary: 'Revoke an ingest key; it stops working within a second',
        tags,
        security,
        params: ById,
        response: { 200: Success(Message), ...failures },
      },
    },
    async (request, reply) => {
      const { params, owner } = request;
      const application = await find.application(params.domain, owner.id);
      if (!(await keys.revoke(application.id, params.id))) throw keyNotFound(params.id);
      keyring.forget(application.id);
      await audit.note(request, { action: 'key.revoked', application: params.domain, key: params.id });
      return success(reply, { message: `key ${params.id} was revoked` });
    },
  );
};
