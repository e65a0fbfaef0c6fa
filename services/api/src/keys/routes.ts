import type { KeyRecord } from '@sluice/store/applications/keys.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, takeSmallBodies } from '../http/route-parts.ts';
import { DateTime, Name, Named, Strict, Text } from '../http/schemas.ts';
import { makeKey } from '../known/keyring.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';

const NewKey = Strict('NewKey', { name: Type.String({ ...Name, examples: ['Roof sensor'] }) });

const fields = {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  name: Type.String({ examples: ['Roof sensor'] }),
  prefix: Text('The first characters of the key, to tell it from others.', 'sk_4fQ2'),
  createdAt: DateTime('When it was created or last rotated.'),
  createdBy: Text('Username of who did that.', 'ada'),
};

const Key = Named('Key', fields);

const IssuedKey = Named('IssuedKey', {
  ...fields,
  key: Text('The key itself, shown only once: Sluice stores its hash.', 'sk_4fQ2vLr8m1ZtY0cKxN7bWdE5'),
});

type Key = Static<typeof Key>;

const toKey = ({ createdAt, ...rest }: KeyRecord): Key => ({ ...rest, createdAt: createdAt.toISOString() });

const maxKeys = quotas.keys.limit;
const ById = byId('key');

/** Ingest keys of an application. A key allows uploads and nothing else. */
export const keyRoutes: Routes = async (app, { store: { applications, keys }, keyring, audit }) => {
  bearerRoutes(app, 'Keys', 'editor');
  takeSmallBodies(app);

  app.get(
    '/applications/:domain/keys',
    operation('listKeys', 'List ingest keys', {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(Key)) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(applications, request);
      return success(reply, (await keys.list(id)).map(toKey));
    },
  );

  app.post(
    '/applications/:domain/keys',
    operation('createKey', 'Create an ingest key', {
      description: `The key is shown only in this answer. An application has at most ${maxKeys} keys. Uploads need one only if the application has \`key_required\`.`,
      params: ByDomain,
      body: NewKey,
      response: { 200: Success(IssuedKey), ...overLimit },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const { key, ...made } = makeKey();
      const created = await keys.create(
        application.id,
        request.body.name,
        made,
        request.owner.username,
        maxKeys,
      );
      if (!created) throw quotaReached('keys', maxKeys);
      const event = { application: application.domain, key: created.id };
      await audit.note(request, { action: 'key.created', ...event });
      return success(reply, { ...toKey(created), key });
    },
  );

  app.post(
    '/applications/:domain/keys/:id/rotate',
    operation('rotateKey', 'Rotate an ingest key', {
      description:
        'Replaces the key. The old one stops working within a second; the new one is shown only in this answer.',
      params: ById,
      response: { 200: Success(IssuedKey) },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const { key, ...made } = makeKey();
      const rotated = await keys.rotate(application.id, request.params.id, made, request.owner.username);
      if (!rotated) throw notFound('key', request.params.id);
      keyring.forget(rotated.id);
      const event = { application: application.domain, key: rotated.id };
      await audit.note(request, { action: 'key.rotated', ...event });
      return success(reply, { ...toKey(rotated), key });
    },
  );

  app.delete(
    '/applications/:domain/keys/:id',
    operation('revokeKey', 'Revoke an ingest key', {
      description: 'It stops working within a second.',
      params: ById,
      response: {
        200: SuccessMessage('Revoked.', 'key 66f1c2a4e8b5d70912345678 was revoked'),
      },
    }),
    async (request, reply) => {
      const { id } = request.params;
      const application = await findApplication(applications, request);
      if (!(await keys.revoke(application.id, id))) throw notFound('key', id);
      keyring.forget(id);
      await audit.note(request, { action: 'key.revoked', application: application.domain, key: id });
      return success(reply, { message: `key ${id} was revoked` });
    },
  );
};
