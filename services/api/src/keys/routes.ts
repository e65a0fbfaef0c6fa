import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import type { KeyRecord } from '@sluice/store/applications/keys.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { invalidAt, notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, takeSmallBodies } from '../http/route-parts.ts';
import { DateTime, Int, Name, Named, Strict, Text, Timestamp } from '../http/schemas.ts';
import { createKeyActivity } from '../known/key-activity.ts';
import { makeKey } from '../known/keyring.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';

const KeyName = Type.String({ ...Name, examples: ['Roof sensor'] });
const ExpiresAt = Type.String({
  ...Timestamp,
  description: 'From then on it is refused, as a wrong key is.',
});
const UploadRate = Strict(
  {
    title: 'UploadRate',
    description: 'How many entries it may send in so many seconds. The windows follow the clock.',
    examples: [{ entries: 100, seconds: 60 }],
  },
  {
    entries: Type.Integer({ minimum: 1, maximum: 999_999_999 }),
    seconds: Type.Integer({ minimum: 1, maximum: 604_800 }),
  },
);

const limits = {
  expires_at: Type.Optional(Type.Union([ExpiresAt, Type.Null()])),
  upload_rate: Type.Optional(Type.Union([UploadRate, Type.Null()])),
};

const NewKey = Strict(
  { title: 'NewKey', examples: [{ name: 'Roof sensor', upload_rate: { entries: 100, seconds: 60 } }] },
  { name: KeyName, ...limits },
);

const KeyUpdate = Strict(
  {
    title: 'KeyUpdate',
    description: 'Fields that are left out stay as they are; `null` removes one.',
    examples: [{ upload_rate: { entries: 100, seconds: 60 }, expires_at: null }],
  },
  { name: Type.Optional(KeyName), ...limits },
);

const fields = {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  name: Type.String({ examples: ['Roof sensor'] }),
  prefix: Text('The first characters of the key, to tell it from others.', 'sk_4fQ2'),
  createdAt: DateTime('When it was created or last rotated.'),
  createdBy: Text('Username of who did that.', 'ada'),
  expires_at: Type.Optional(DateTime('From then on it is refused; absent: it does not expire.')),
  upload_rate: Type.Optional(UploadRate),
  lastUsedAt: Type.Optional(DateTime('Exact to a minute; absent if it was never used.')),
  uploads_24h: Type.Optional(Int('In the list: entries of the last 24 hours that came with it, exactly.')),
  refused_24h: Type.Optional(
    Int('In the list: uploads and lines with it that were refused in the last 24 hours, for any reason.'),
  ),
};

const Key = Named('Key', fields);

const IssuedKey = Named('IssuedKey', {
  ...fields,
  key: Text('The key itself, shown only once: Sluice stores its hash.', 'sk_4fQ2vLr8m1ZtY0cKxN7bWdE5'),
});

type Key = Static<typeof Key>;

const toKey = ({ createdAt, expiresAt, uploadRate, lastUsedAt, ...rest }: KeyRecord): Key => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  ...(uploadRate && { upload_rate: uploadRate }),
  ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
});

/** What its editors set. */
const settingsOf = ({ name, expiresAt, uploadRate }: KeyRecord) => ({
  name,
  expires_at: expiresAt,
  upload_rate: uploadRate,
});

/** Throws ApiError for a time that has passed. */
function toExpiry<None extends null | undefined>(text: string | None): Date | None {
  if (typeof text !== 'string') return text;
  const at = new Date(parseTimestamp(text));
  if (at.getTime() <= Date.now()) throw invalidAt('/expires_at', 'future', 'must be in the future');
  return at;
}

const maxKeys = quotas.keys.limit;
const ById = byId('key');

/** Ingest keys of an application. A key allows uploads and nothing else. */
export const keyRoutes: Routes = async (app, { store, keyring, audit, capacity: { pageReads } }) => {
  const { applications, keys } = store;
  const activity = createKeyActivity(store);
  bearerRoutes(app, 'Keys', 'editor');
  takeSmallBodies(app);

  const find = async (application: string, id: string) =>
    (await keys.list(application)).find((key) => key.id === id);

  app.get(
    '/applications/:domain/keys',
    operation('listKeys', 'List ingest keys', {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(Key)), ...overLimit },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const [found, counts] = await Promise.all([
        keys.list(application.id),
        pageReads.runInFairOrder(request.owner.id, () => activity.ofDay(application)),
      ]);
      const toListed = (key: KeyRecord): Key => {
        const { stored = 0, refused = 0 } = counts.get(key.id) ?? {};
        return { ...toKey(key), uploads_24h: stored, refused_24h: refused };
      };
      return success(reply, found.map(toListed));
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
      const { name, expires_at, upload_rate } = request.body;
      const application = await findApplication(applications, request);
      const { key, ...made } = makeKey();
      const created = await keys.create(
        application.id,
        { name, expiresAt: toExpiry(expires_at) ?? undefined, uploadRate: upload_rate ?? undefined },
        made,
        request.owner.username,
        maxKeys,
      );
      if (!created) throw quotaReached('keys', maxKeys);
      const event = { application: application.domain, key: created.id, after: settingsOf(created) };
      await audit.note(request, { action: 'key.created', ...event });
      return success(reply, { ...toKey(created), key });
    },
  );

  app.patch(
    '/applications/:domain/keys/:id',
    operation('updateKey', 'Update an ingest key', {
      description: 'Every replica obeys within a second.',
      params: ById,
      body: KeyUpdate,
      response: { 200: Success(Key) },
    }),
    async (request, reply) => {
      const { name, expires_at, upload_rate: uploadRate } = request.body;
      const application = await findApplication(applications, request);
      const change = { name, expiresAt: toExpiry(expires_at), uploadRate };
      const before = await find(application.id, request.params.id);
      const updated = before && (await keys.update(application.id, before.id, change));
      if (!updated) throw notFound('key', request.params.id);
      keyring.forget(updated.id);
      const details = { changed: Object.keys(request.body) };
      const settings = { before: settingsOf(before), after: settingsOf(updated) };
      const event = { application: application.domain, key: updated.id, details, ...settings };
      await audit.note(request, { action: 'key.updated', ...event });
      return success(reply, toKey(updated));
    },
  );

  app.post(
    '/applications/:domain/keys/:id/rotate',
    operation('rotateKey', 'Rotate an ingest key', {
      description:
        'Replaces the key; its name, expiry and rate stay. The old one stops working within a second; the new one is shown only in this answer.',
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
      const key = await find(application.id, id);
      if (!key || !(await keys.revoke(application.id, id))) throw notFound('key', id);
      keyring.forget(id);
      const event = { application: application.domain, key: id, before: settingsOf(key) };
      await audit.note(request, { action: 'key.revoked', ...event });
      return success(reply, { message: `key ${id} was revoked` });
    },
  );
};
